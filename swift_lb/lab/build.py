"""The files of a lab, and the commands that start its servers.

Swift parses its storage policies while it is imported, from /etc/swift/swift.conf, unless
set_swift_dir() is called first. So each server has a launcher, which calls it and runs the real
script. sys.argv[0] stays the launcher, because a reload (SIGUSR1) executes that file again.
"""
import os
import pathlib
import shutil
import sys

from swift_lb.errors import LabError
from swift_lb.lab import change, conf, log_sink, network, rules_file, sync
from swift_lb.lab.profile import load as load_profile
from swift_lb.lab.wan import wan

SINK = 'log-sink'
DAEMONS = {'agent': 'swift-lb-agent', 'dns': 'swift-lb-dns',
           'image': 'swift-lb-image'}     # kind: script
SCRIPTS = DAEMONS | {'sync': 'swift-container-sync'}
SERVICE_DEVICES = ('sd0', 'sd1', 'sd2')     # of account and container servers
MEMCACHED_MIB = 64


def servers(state, kind=None):
    """Return the Servers of the lab with the State `state`: all, or only those of `kind`."""
    return [server for server in network.servers(state.spec, state.networks, state.memcached)
            if kind in (None, server.kind)]


def of_region(state, kind, region):
    """Return the Servers of `kind` in `region` of the lab with the State `state`."""
    return [server for server in servers(state, kind) if server.region == region]


def logged(state, region):
    """Return {server name: UDP port of the log sink} for each server of `region` with a syslog."""
    return {server.name: server.log_port for server in of_region(state, None, region)
            if server.log_port}


def write_files(directory, state):
    """Write the files that servers need to start, except the rings, into the lab's `directory`."""
    etc, spec = directory / 'etc', state.spec
    (etc / 'swift.conf').write_text(conf.swift_conf(spec))
    for kind in ('proxy', *conf.STORAGE_PIPELINE):
        write_launcher(directory / 'bin' / f'swift-{kind}-server', etc)
    for script in SCRIPTS.values():
        write_launcher(directory / 'bin' / script, etc)
    for server in servers(state):
        if server.kind in conf.STORAGE_PIPELINE:
            for name in spec.device_names if server.kind == 'object' else SERVICE_DEVICES:
                (directory / 'data' / server.name / name).mkdir(parents=True)
            (etc / f'{server.name}.conf').write_text(conf.storage_conf(directory, server, spec))
    write_daemon_confs(directory, state)
    write_proxy_confs(directory, state)
    if spec.sync:
        write_sync_confs(directory, state)
    nodes = servers(state, 'object')
    documents = load_profile(spec.profile, len(nodes), spec.device_names) if spec.profile else {}
    for node, server in enumerate(nodes, 1):
        rules_file.write(conf.rules_path(directory, server.name),
                         documents.get(node, change.EMPTY))
    for server in servers(state, 'proxy') if spec.handicap_proxies else ():
        rules_file.write(conf.rules_path(directory, server.name), change.EMPTY)


def write_proxy_confs(directory, state):
    """Write the conf file of every proxy of the lab into etc/ of its `directory`."""
    memcached = {server.region: f'{server.ip}:{server.port}'
                 for server in servers(state, 'memcached')}
    for server in servers(state, 'proxy'):
        (directory / 'etc' / f'{server.name}.conf').write_text(
            conf.proxy_conf(directory, server, state.spec, memcached.get(server.region)))


def write_daemon_confs(directory, state):
    """Write the conf of every agent and DNS service of the lab into etc/ of its `directory`."""
    sites = wan.networks() if state.spec.site else []
    for server in servers(state):
        if server.kind in DAEMONS:
            agents = [agent.ip for agent in of_region(state, 'agent', server.region)]
            proxies = of_region(state, 'proxy', server.region) if state.spec.dns else []
            (directory / 'etc' / f'{server.name}.conf').write_text(conf.daemon_conf(
                directory, server, state.spec, agents, proxies, sites))


def write_sync_confs(directory, state):
    """Write the conf of every container-sync of the lab, and of the realm, into its `directory`."""
    etc, spec = directory / 'etc', state.spec
    clusters = wan.networks() if spec.site else [(spec.name, state.networks[0])]
    (etc / sync.REALMS).write_text(conf.render(sync.realms(spec, clusters)))
    (etc / sync.CLIENT).write_text(conf.render(sync.client(directory)))
    for server in servers(state, 'sync'):
        (etc / f'{server.name}.conf').write_text(conf.sync_conf(directory, server, spec))


def sink_command(directory, state, region):
    """Return the command, a list, of the log sink of `region`.

    It skips site-packages to start sooner.
    """
    return [sys.executable, '-I', '-S', '-B', str(pathlib.Path(log_sink.__file__)),
            network.log_ip(state.networks[region - 1]), str(directory / 'log'),
            *(f'{name}={port}' for name, port in logged(state, region).items())]


def command(directory, server):
    """Return the command, a list of words, that starts the Server `server` of a lab."""
    if server.kind == 'memcached':
        as_root = ['-u', 'root'] if os.geteuid() == 0 else []
        return ['memcached', '-l', server.ip, '-p', str(server.port), '-U', '0',
                '-m', str(MEMCACHED_MIB), *as_root]
    script = SCRIPTS.get(server.kind, f'swift-{server.kind}-server')
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
