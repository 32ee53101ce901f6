"""The files of a lab, and the commands that start its servers.

Swift parses its storage policies while it is imported, from /etc/swift/swift.conf, unless
set_swift_dir() is called first. So each server has a launcher, which calls it and runs the real
script. sys.argv[0] stays the launcher, because a reload (SIGUSR1) executes that file again.
"""
import os
import pathlib
import shutil
import sys
import warnings

from swift_lb.errors import LabError
from swift_lb.lab import change, conf, log_sink, network, rules_file
from swift_lb.lab.network import ACCOUNT_PORT, CONTAINER_PORT, OBJECT_PORT, node_ip
from swift_lb.lab.profile import load as load_profile
from swift_lb.lab.wan import wan

SINK = 'log-sink'
DAEMONS = {'agent': 'swift-lb-agent', 'dns': 'swift-lb-dns'}     # kind: script
MEMCACHED_MIB = 64
GATEWAYS = 2            # agents of each site to which summaries of clusters are sent


def servers(state, kind=None):
    """Return the Servers of the lab with the State `state`: all, or only those of `kind`."""
    return [server for server in network.servers(state.spec, state.network, state.memcached)
            if kind in (None, server.kind)]


def logged(state):
    """Return {server name: UDP port of the log sink} for every server that logs by syslog."""
    return {server.name: server.log_port for server in servers(state) if server.log_port}


def write_files(directory, state):
    """Write the files that servers need to start, except the rings, into the lab's `directory`."""
    etc, spec = directory / 'etc', state.spec
    (etc / 'swift.conf').write_text(conf.swift_conf(spec))
    for kind in ('proxy', *conf.STORAGE_PIPELINE):
        write_launcher(directory / 'bin' / f'swift-{kind}-server', etc)
    for script in DAEMONS.values():
        write_launcher(directory / 'bin' / script, etc)
    for server in servers(state):
        if server.kind in conf.STORAGE_PIPELINE:
            names = (spec.device_names if server.kind == 'object' else
                     [f'sd{number}' for number in range(SERVICE_DEVICES)])
            for name in names:
                (directory / 'data' / server.name / name).mkdir(parents=True)
            (etc / f'{server.name}.conf').write_text(conf.storage_conf(directory, server, spec))
    write_daemon_confs(directory, state)
    write_proxy_confs(directory, state)
    documents = load_profile(spec.profile, spec.nodes, spec.device_names) if spec.profile else {}
    for node in range(1, spec.nodes + 1):
        rules_file.write(conf.rules_path(directory, f'object-{node}'),
                         documents.get(node, change.EMPTY))
    for server in servers(state, 'proxy') if spec.handicap_proxies else ():
        rules_file.write(conf.rules_path(directory, server.name), change.EMPTY)


def write_proxy_confs(directory, state):
    """Write the conf file of every proxy of the lab into etc/ of its `directory`."""
    memcached = next((f'{server.ip}:{server.port}' for server in servers(state, 'memcached')), None)
    for server in servers(state, 'proxy'):
        (directory / 'etc' / f'{server.name}.conf').write_text(
            conf.proxy_conf(directory, server, state.spec, memcached))


def write_daemon_confs(directory, state):
    """Write the conf of every agent and DNS service of the lab into etc/ of its `directory`."""
    agents = [server.ip for server in servers(state, 'agent')]
    proxies = servers(state, 'proxy') if state.spec.dns else []
    gateways = [(site, network.agent_ip(sited, number)) for site, sited in wan.networks()
                for number in range(1, GATEWAYS + 1)] if state.spec.site else []
    for server in servers(state):
        if server.kind in DAEMONS:
            (directory / 'etc' / f'{server.name}.conf').write_text(conf.daemon_conf(
                directory, server, state.spec, agents, proxies, gateways))


def sink_command(directory, state):
    """Return the command, a list, of the log sink; it skips site-packages to start sooner."""
    return [sys.executable, '-I', '-S', '-B', str(pathlib.Path(log_sink.__file__)),
            network.log_ip(state.network), str(directory / 'log'),
            *(f'{name}={port}' for name, port in logged(state).items())]


def command(directory, server):
    """Return the command, a list of words, that starts the Server `server` of a lab."""
    if server.kind == 'memcached':
        as_root = ['-u', 'root'] if os.geteuid() == 0 else []
        return ['memcached', '-l', server.ip, '-p', str(server.port), '-U', '0',
                '-m', str(MEMCACHED_MIB), *as_root]
    script = DAEMONS.get(server.kind, f'swift-{server.kind}-server')
    # By the interpreter, not by the shebang: /dev/shm may be mounted noexec.
    return [sys.executable, str(directory / 'bin' / script),
            str(directory / 'etc' / f'{server.name}.conf')]


TEXT = '''\
#!{python}
"""Start {script} with the swift.conf of this lab."""
from swift.common.utils import set_swift_dir

set_swift_dir({swift_dir!r})
with open({script!r}) as script:
    # Not runpy: it would put the real script's path into sys.argv[0].
    exec(compile(script.read(), {script!r}, 'exec'))
'''


def write_launcher(path, swift_dir):
    """Write the script `path`; it runs the Swift script of that name with the lab's `swift_dir`."""
    beside = pathlib.Path(sys.executable).with_name(path.name)
    script = str(beside) if beside.exists() else shutil.which(path.name)
    if not script:
        raise LabError(f'{path.name} is neither beside {sys.executable} nor on PATH; '
                       'install Swift for this Python: pip install swift')
    path.write_text(TEXT.format(python=sys.executable, script=script, swift_dir=str(swift_dir)))
    path.chmod(0o700)


SERVICE_DEVICES = 3  # account and container databases have three replicas, on one server each
SEED = 1             # fixed, so that the same spec gives the same rings


def write_rings(directory, state):
    """Write the lab's rings. The log sink needs none: it starts between write_files() and this."""
    etc, spec, network = directory / 'etc', state.spec, state.network
    for kind, port in (('account', ACCOUNT_PORT), ('container', CONTAINER_PORT)):
        disks = [(1, f'{network}.2', f'sd{number}') for number in range(SERVICE_DEVICES)]
        _ring(etc / f'{kind}.ring.gz', spec.part_power, SERVICE_DEVICES, port, disks)
    disks = [(node, node_ip(network, node), device)
             for node in range(1, spec.nodes + 1) for device in spec.device_names]
    for index, (_name, count) in spec.policies.items():
        name = f'object-{index}' if index else 'object'
        _ring(etc / f'{name}.ring.gz', spec.part_power, count, OBJECT_PORT, disks)


def _ring(path, part_power, replicas, port, disks):
    with warnings.catch_warnings():     # of eventlet's deprecation
        warnings.simplefilter('ignore')
        from swift.common.ring import RingBuilder
    builder = RingBuilder(part_power, replicas, 0)
    for number, (zone, ip, device) in enumerate(disks):
        builder.add_dev({'id': number, 'region': 1, 'zone': zone, 'weight': 100, 'device': device,
                         'ip': ip, 'port': port, 'replication_ip': ip, 'replication_port': port,
                         'meta': ''})
    builder.rebalance(seed=SEED)
    builder.get_ring().save(str(path))
