"""A lab: started, asked, disturbed, ended; for `swift-lb lab`, tests, the demo and the bench."""
import contextlib
import dataclasses
import os
import pathlib
import shutil
import sys

from swift_lb.errors import LabError
from swift_lb.lab import conf, network, place, process, ready, state
from swift_lb.lab.launcher import write_launcher
from swift_lb.lab.rings import write_rings
from swift_lb.lab.spec import LabSpec

SINK = 'log-sink'
STOP_GRACE = 5.0     # seconds a server may take to end by itself
ACCOUNT = 'AUTH_test'


class Lab:
    """A running (or half dead) lab; make one with `Lab.up` or find one with `Lab.find`."""

    def __init__(self, directory, found):
        """Take `found`, the State of the lab in `directory`."""
        self.directory = pathlib.Path(directory)
        self._state = found

    @classmethod
    def up(cls, spec=None):
        """Start the lab `spec` (a LabSpec) and return it when every server answers.

        Whatever goes wrong, Ctrl-C included, what was started is ended and removed first.
        """
        lab = _claim(spec or LabSpec())
        try:
            lab._write_files()
            lab._start_all()
        except BaseException:
            lab.down()
            raise
        return lab

    @classmethod
    def find(cls, name='default'):
        """Return the lab called `name`; LabError if there is none."""
        try:
            directory = place.root() / name
            return cls(directory, state.read(directory))
        except FileNotFoundError:
            there = ', '.join(place.names())
            raise LabError(f'there is no lab {name!r}; '
                           + (f'the labs are {there}' if there else 'no lab is up')) from None

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.down()

    # -- what it is

    @property
    def spec(self):
        """The LabSpec it was built from, as last changed by restart_proxies."""
        return self._state.spec

    @property
    def processes(self):
        """{name: Process} of all that was started."""
        return dict(self._state.processes)

    @property
    def endpoint(self):
        """The first proxy's URL."""
        return self.endpoints[0]

    @property
    def endpoints(self):
        """The URLs of all proxies."""
        return [f'http://{server.ip}:{server.port}' for server in self._servers('proxy')]

    @property
    def memcached(self):
        """The address of the lab's memcached, or None."""
        found = self._state.processes.get('memcached')
        return found and found.address

    def storage_url(self):
        """The URL of the account the lab is used with."""
        return f'{self.endpoint}/v1/{ACCOUNT}'

    def token(self):
        """A fresh token of tempauth; None where the lab has no tempauth, and asks for none."""
        if not self.memcached:
            return None
        proxy = self._servers('proxy')[0]
        status, headers, body = ready.http_get(
            proxy.ip, proxy.port, '/auth/v1.0', self.spec.timeout,
            {'X-Auth-User': conf.USER, 'X-Auth-Key': conf.KEY})
        if status != 200:
            raise LabError(f'tempauth of {proxy.ip}:{proxy.port} answered {status}: {body[:200]!r}')
        return headers['X-Auth-Token']

    def node_address(self, node):
        """(ip, port) of storage node `node`; the first is 1."""
        server = self._server(f'object-{node}')
        return server.ip, server.port

    def log(self, name):
        """The Path of what server `name` logged."""
        return self.directory / 'log' / f'{name}.log'

    # -- what it does

    def stop_node(self, node):
        """Kill storage node `node` (1 is the first), as a power cut would."""
        self._stop([self._server(f'object-{node}').name], grace=0)

    def start_node(self, node):
        """Start storage node `node` again; return when it answers."""
        self._start([self._server(f'object-{node}')])

    def restart_proxies(self, options=None, app=None):
        """Restart the proxies with `options`, all the proxy options there are, and with `app`.

        None leaves either as it is. Returns when all answer.
        """
        changes = {'proxy_options': options, 'app': app}
        spec = dataclasses.replace(
            self.spec, **{key: value for key, value in changes.items() if value is not None})
        proxies = self._servers('proxy')
        self._stop([server.name for server in proxies], grace=0)
        self._save(self._state._replace(spec=spec))
        self._write_proxy_confs()
        self._start(proxies)

    def down(self, keep_logs=False):
        """End every process of the lab and remove its directory; return who still ran.

        With `keep_logs` the directory log/ stays. Doing it again does nothing.
        """
        running = process.stop(self._state.processes.values(), self.directory, STOP_GRACE)
        if not keep_logs:
            shutil.rmtree(self.directory, ignore_errors=True)
            return running
        for room in place.ROOMS:
            if room != 'log':
                shutil.rmtree(self.directory / room, ignore_errors=True)
        return running

    # -- how

    def _servers(self, kind=None):
        found = network.servers(self.spec, self._state.network, self._state.memcached)
        return [server for server in found if kind in (None, server.kind)]

    def _server(self, name):
        for server in self._servers():
            if server.name == name:
                return server
        raise LabError(f'lab {self.spec.name!r} has no {name}; it has '
                       + ', '.join(server.name for server in self._servers()))

    def _save(self, changed):
        self._state = changed
        state.write(self.directory, changed)

    def _write_files(self):
        etc = self.directory / 'etc'
        (etc / 'swift.conf').write_text(conf.swift_conf(self.spec))
        for kind in ('proxy', 'account', 'container', 'object'):
            write_launcher(self.directory / 'bin' / f'swift-{kind}-server', etc)
        for server in self._servers():
            if server.kind in conf.STORAGE_PIPELINE:
                self._write_storage(server)
        self._write_proxy_confs()

    def _write_storage(self, server):
        names = self.spec.device_names if server.kind == 'object' else ('sd0', 'sd1', 'sd2')
        for name in names:
            (self.directory / 'data' / server.name / name).mkdir(parents=True)
        (self.directory / 'etc' / f'{server.name}.conf').write_text(
            conf.storage_conf(self.directory, server, self.spec))

    def _write_proxy_confs(self):
        memcached = next(
            (f'{server.ip}:{server.port}' for server in self._servers('memcached')), None)
        for server in self._servers('proxy'):
            (self.directory / 'etc' / f'{server.name}.conf').write_text(
                conf.proxy_conf(self.directory, server, self.spec, memcached))

    def _start_all(self):
        servers = self._servers()
        logged = [server.name for server in servers if server.kind != 'memcached']
        sink = self._spawn(SINK, SINK, [
            sys.executable, '-I', '-S', str(pathlib.Path(__file__).with_name('log_sink.py')),
            str(self.directory / 'run'), str(self.directory / 'log'), *logged])
        write_rings(self.directory / 'etc', self.spec, self._state.network)
        ready.wait_for_files([self.directory / 'run' / f'{name}.log.sock' for name in logged],
                             sink, self.directory / 'log', self.spec.timeout)
        self._start(servers)

    def _start(self, servers):
        started = [self._spawn(server.name, server.kind, self._command(server), server.ip,
                               server.port) for server in servers]
        ready.wait_ready(started, self.directory / 'log', self.spec.timeout)

    def _command(self, server):
        if server.kind == 'memcached':
            root = ['-u', 'root'] if os.geteuid() == 0 else []
            return ['memcached', '-l', server.ip, '-p', str(server.port), '-U', '0', '-m', '64',
                    '-P', str(self.directory / 'run' / 'memcached.pid'), *root]
        # By the interpreter, so that /dev/shm may be mounted noexec.
        return [sys.executable, str(self.directory / 'bin' / f'swift-{server.kind}-server'),
                str(self.directory / 'etc' / f'{server.name}.conf')]

    def _spawn(self, name, kind, command, ip=None, port=None):
        out = self.directory / 'log' / f'{name}.out'
        born = process.spawn(name, kind, command, out, ip, port)
        self._save(self._state._replace(processes=self._state.processes | {name: born}))
        return born

    def _stop(self, names, grace):
        there = self._state.processes
        process.stop([there[name] for name in names if name in there], self.directory, grace)


def _claim(spec):
    """Take the name and a network for `spec`; both are claimed by the state file written here."""
    with place.locked():
        claimed = set()
        for name in place.names():
            with contextlib.suppress(LabError, FileNotFoundError):
                claimed.add(state.read(place.root() / name).network)
        chosen = network.choose(spec, claimed)
        try:
            directory = place.make(spec.name)
        except FileExistsError:
            raise LabError(f'lab {spec.name!r} is there already; `swift-lb lab status` shows it, '
                           '`swift-lb lab down` ends it') from None
        lab = Lab(directory, state.State(spec, chosen, bool(shutil.which('memcached')), {}))
        lab._save(lab._state)
        return lab
