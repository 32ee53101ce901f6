"""The files of a lab, and the commands that start its servers."""
import os
import pathlib
import sys

from swift_lb.lab import change, conf, log_sink, network, rules_file
from swift_lb.lab.launcher import write_launcher
from swift_lb.lab.profile import load as load_profile
from swift_lb.lab.rings import SERVICE_DEVICES, write_rings

SINK = 'log-sink'
DAEMONS = {'agent': 'swift-lb-agent', 'dns': 'swift-lb-dns'}     # kind: script
MEMCACHED_MIB = 64


def servers(found, kind=None):
    """Return every Server of the State `found`, or those of one `kind`."""
    return [server for server in network.servers(found.spec, found.network, found.memcached)
            if kind in (None, server.kind)]


def logged(found):
    """Return {name: UDP port} of the servers that log through the log sink."""
    return {server.name: server.log_port for server in servers(found) if server.log_port}


def write_files(directory, found):
    """Write the files that the lab `directory` needs before its servers start, except the rings."""
    etc, spec = directory / 'etc', found.spec
    (etc / 'swift.conf').write_text(conf.swift_conf(spec))
    for kind in ('proxy', *conf.STORAGE_PIPELINE):
        write_launcher(directory / 'bin' / f'swift-{kind}-server', etc)
    for script in DAEMONS.values():
        write_launcher(directory / 'bin' / script, etc)
    for server in servers(found):
        if server.kind in conf.STORAGE_PIPELINE:
            _write_storage(directory, server, spec)
    write_daemon_confs(directory, found)
    write_proxy_confs(directory, found)
    documents = load_profile(spec.profile, spec.nodes, spec.device_names) if spec.profile else {}
    for node in range(1, spec.nodes + 1):
        rules_file.write(conf.rules_path(directory, f'object-{node}'),
                         documents.get(node, change.EMPTY))
    for server in servers(found, 'proxy') if spec.handicap_proxies else ():
        rules_file.write(conf.rules_path(directory, server.name), change.EMPTY)


def _write_storage(directory, server, spec):
    names = (spec.device_names if server.kind == 'object' else
             [f'sd{number}' for number in range(SERVICE_DEVICES)])
    for name in names:
        (directory / 'data' / server.name / name).mkdir(parents=True)
    (directory / 'etc' / f'{server.name}.conf').write_text(
        conf.storage_conf(directory, server, spec))


def write_proxy_confs(directory, found):
    """Write the conf of every proxy from the lab's spec."""
    memcached = next((f'{server.ip}:{server.port}' for server in servers(found, 'memcached')), None)
    for server in servers(found, 'proxy'):
        (directory / 'etc' / f'{server.name}.conf').write_text(
            conf.proxy_conf(directory, server, found.spec, memcached))


def write_daemon_confs(directory, found):
    """Write the conf of every agent and of every DNS service."""
    agents = [server.ip for server in servers(found, 'agent')]
    proxies = servers(found, 'proxy') if found.spec.dns else []
    for server in servers(found):
        if server.kind in DAEMONS:
            (directory / 'etc' / f'{server.name}.conf').write_text(conf.daemon_conf(
                directory, server, found.spec, agents, proxies))


def write_all_rings(directory, found):
    """Write the rings; a separate step, because the log sink can start meanwhile."""
    write_rings(directory / 'etc', found.spec, found.network)


def sink_command(directory, found):
    """Return the command of the log sink; it starts fast because it skips site-packages."""
    return [sys.executable, '-I', '-S', '-B', str(pathlib.Path(log_sink.__file__)),
            network.log_ip(found.network), str(directory / 'log'),
            *(f'{name}={port}' for name, port in logged(found).items())]


def command(directory, server):
    """Return the command that starts `server`."""
    if server.kind == 'memcached':
        as_root = ['-u', 'root'] if os.geteuid() == 0 else []
        return ['memcached', '-l', server.ip, '-p', str(server.port), '-U', '0',
                '-m', str(MEMCACHED_MIB), *as_root]
    script = DAEMONS.get(server.kind, f'swift-{server.kind}-server')
    # By the interpreter, not by the shebang: /dev/shm may be mounted noexec.
    return [sys.executable, str(directory / 'bin' / script),
            str(directory / 'etc' / f'{server.name}.conf')]
