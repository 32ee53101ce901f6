"""The class Lab: start, inspect, slow down and stop a real Swift on this machine."""
import dataclasses
import pathlib
import shutil

from swift_lb.errors import ConfigError, LabError
from swift_lb.lab import build, conf, fork_server, place, process, ready, rings, state
from swift_lb.lab.network import AGENT, DECODER, DNS_PORT, NODE, PROXY, V1
from swift_lb.lab.nodes import HandicappedServers
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.state import claim
from swift_lb.lab.wan import namespaces, wan

TERM_SECONDS = 5.0     # seconds that a server may take to end after SIGTERM
ACCOUNT = 'AUTH_test'
FORK_SERVER = 'fork-server'    # the name of the process that forks into servers


class Lab:
    """A lab that was started, and of which some processes may have ended; see `up` and `find`."""

    def __init__(self, directory, lab_state):
        """Represent the lab in `directory`, with `lab_state`, the State from its state file."""
        self.directory = pathlib.Path(directory)
        self._state = lab_state

    @classmethod
    def up(cls, spec=None):
        """Start the lab `spec` (a LabSpec) and return it when every server answers.

        On any failure, or Ctrl-C, it ends all processes that it started and removes their files.
        """
        spec, networks = spec or LabSpec(), {}
        if spec.site or spec.regions > 1:
            networks = wan.networks_of(spec.sites, spec.regions)
            spec = dataclasses.replace(spec, site=','.join(networks))
        lab = cls(*claim(spec, tuple(networks.values())))
        try:
            build.write_files(lab.directory, lab._state)
            lab._start_all()
        except BaseException:
            lab.down()
            raise
        return lab

    @classmethod
    def find(cls, name='default'):
        """Return the lab called `name`; raises LabError if there is none."""
        try:
            directory = place.root() / name
            return cls(directory, state.read(directory))
        except FileNotFoundError:
            names = ', '.join(place.names())
            raise LabError(f'there is no lab {name!r}; '
                           + (f'the labs are {names}' if names else 'no lab is up')) from None

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.down()

    # -- properties

    @property
    def spec(self):
        """The LabSpec that the lab was built from, with later changes by restart_proxies()."""
        return self._state.spec

    @property
    def processes(self):
        """Return {name: Process} of all processes of the lab, including those that have ended."""
        return dict(self._state.processes)

    @property
    def endpoint(self):
        """The URL of proxy 1, without /v1."""
        return self.endpoints[0]

    @property
    def endpoints(self):
        """The URLs of all proxies in a list, without /v1."""
        return [f'http://{server.ip}:{server.port}' for server in self._servers('proxy')]

    @property
    def agents(self):
        """The URLs of the pages of all agents, in a list."""
        return [f'http://{server.ip}:{server.port}' for server in self._servers('agent')]

    @property
    def name_servers(self):
        """Return [(ip, port)], the addresses at which the lab's DNS services answer queries."""
        return [(server.ip, DNS_PORT) for server in self._servers('dns')]

    @property
    def memcached(self):
        """Whether the lab has memcached, which tempauth needs."""
        return self._state.memcached

    def storage_url(self):
        """Return the storage URL of the lab's account, by way of proxy 1."""
        return f'{self.endpoint}/v1/{ACCOUNT}'

    def token(self):
        """Log in to the tempauth of proxy 1; return the token, None in a lab without tempauth."""
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
        """Return (ip, port) of the object server of storage node `node`, numbered from 1."""
        server = self._numbered(NODE, node)
        return server.ip, server.port

    def log(self, name):
        """Return the Path of the log of server `name`, such as proxy-1 or object-3."""
        return self.directory / 'log' / f'{name}.log'

    @property
    def nodes(self):
        """The lab's storage nodes, as HandicappedServers, which show and change their handicaps."""
        return HandicappedServers(self.directory, self._addresses(NODE), self.spec.device_names)

    @property
    def proxies(self):
        """The lab's proxies that have lb_handicap, as HandicappedServers with one device, v1."""
        addresses = self._addresses(PROXY) if self.spec.handicap_proxies else {}
        return HandicappedServers(self.directory, addresses, (V1,), PROXY)

    def served(self):
        """Return {(node, device): counts} of the requests to each device, of nodes that answer.

        Each node counts since its start, for all proxies together. `counts` has served (passed on
        to Swift), failed (refused by the setting `fail`), gone (the client left before), in_service
        (in a slot), queued (for a slot), hanging (by `hang`), and by_method (of served).
        """
        return self.nodes.served()

    def served_by_proxies(self):
        """Return {proxy: counts} of requests to /v1/ at each proxy with lb_handicap that answers.

        A request that a proxy delegated to a peer counts at the peer. See served().
        """
        return {proxy: counts for (proxy, _v1), counts in self.proxies.served().items()}

    # -- actions

    def handicap(self, node=None, device=None, proxy=None, clear=False, profile=None, seed=None,
                 **rule):
        """Slow down storage node `node` (from 1), its `device`, or the proxy `proxy`.

        `rule` has the words and units of `swift-lb lab set`, such as slots=2, mean=0.08; a bare
        number is seconds or bytes. For `clear`, `profile` and `seed` see change.changed(); without
        `node` and `proxy` they apply to all. Returns when every running server applies the rules.
        Raises ConfigError, and changes nothing, if a word is wrong.
        """
        settings = {'rule': rule, 'device': device, 'clear': clear, 'profile': profile,
                    'seed': seed}
        if proxy is None:
            self.nodes.change(number=node, **settings)
        elif node is not None:
            raise ConfigError([f'node={node} proxy={proxy}: must be one of them'])
        elif not self.spec.handicap_proxies:
            raise ConfigError([f'proxy={proxy}: lab {self.spec.name!r} was started without '
                               '--handicap-proxies'])
        else:
            self.proxies.change(number=proxy, **settings)
        if node is None and proxy is None:
            self.proxies.change(clear=clear, seed=seed)

    def stop_node(self, node):
        """Kill the object server of storage node `node` (from 1) at once, like a power cut."""
        self._kill([self._numbered(NODE, node)])

    def start_node(self, node):
        """Start storage node `node` again after stop_node(); return when it answers."""
        server = self._numbered(NODE, node)
        if not self._state.processes[server.name].alive:
            self._start([server])

    def stop_proxy(self, proxy):
        """Kill proxy `proxy` (from 1) and its workers at once, like a power cut."""
        self._kill([self._numbered(PROXY, proxy)])

    def start_proxy(self, proxy):
        """Start proxy `proxy` again after stop_proxy(); return when it answers."""
        self._start([self._numbered(PROXY, proxy)])

    def stop_agent(self, proxy):
        """Kill the agent beside proxy `proxy` (from 1) at once."""
        self._kill([self._numbered(AGENT, proxy)])

    def start_agent(self, proxy):
        """Start the agent beside proxy `proxy` again after stop_agent(); return when it answers."""
        self._start([self._numbered(AGENT, proxy)])

    def stop_decoder(self, proxy):
        """Kill the decoder of images beside proxy `proxy` (from 1), and its workers, at once."""
        self._kill([self._numbered(DECODER, proxy)])

    def start_decoder(self, proxy):
        """Start that decoder again after stop_decoder(); return when it answers."""
        self._start([self._numbered(DECODER, proxy)])

    def restart_decoders(self, options):
        """Restart all decoders of images with no kept results; return when they answer.

        `options` replaces all of LabSpec.image_options. Jobs in progress break.
        """
        decoders = self._servers(DECODER.server)
        self._kill(decoders)
        self._save(self._state._replace(spec=dataclasses.replace(
            self.spec, image_options=options)))
        build.write_daemon_confs(self.directory, self._state)
        for server in decoders:
            shutil.rmtree(conf.cache_folder(self.directory, server.name), ignore_errors=True)
        self._start(decoders)

    def restart_proxies(self, options=None, app=None, dispatch=None):
        """Restart all proxies with other conf options, another `app` or another `dispatch`.

        `options` replaces all of LabSpec.proxy_options; `dispatch` says whether proxies have the
        dispatcher, which needs agents. None leaves a setting as it is. Requests in progress break,
        and all measurements of devices are lost. Returns when all proxies answer.
        """
        changes = {'proxy_options': options, 'app': app, 'dispatch': dispatch}
        spec = dataclasses.replace(
            self.spec, **{key: value for key, value in changes.items() if value is not None})
        if spec.dispatch and not self.agents:
            raise LabError(f'lab {spec.name!r} has no agents, which a dispatcher needs; start it '
                           'with --dispatch or --agents')
        self._kill(self._servers('proxy'))
        self._save(self._state._replace(spec=spec))
        build.write_proxy_confs(self.directory, self._state)
        for server in self._servers('proxy'):
            for path in conf.books(self.directory, server):
                path.unlink(missing_ok=True)
        self._start(self._servers('proxy'))

    def down(self, keep_logs=False):
        """End all processes of the lab; return the names of the processes that still ran.

        Removes the lab's directory; with `keep_logs` its log/ stays. A second call does nothing.
        """
        started = self._state.processes.values()
        running = process.stop(started, TERM_SECONDS, lambda: process.members(self.directory) | {
            one.pid for one in started if one.alive})
        for room in place.ROOMS:
            if room != 'log' or not keep_logs:
                shutil.rmtree(self.directory / room, ignore_errors=True)
        if not keep_logs:
            shutil.rmtree(self.directory, ignore_errors=True)
        return running

    # -- internals

    def _servers(self, kind):
        return build.servers(self._state, kind)

    def _addresses(self, kind):
        """Return {number: (ip, port)} of the lab's servers of `kind`, NODE or PROXY."""
        return {int(conf.number_of(server)): (server.ip, server.port)
                for server in self._servers(kind.server)}

    def _numbered(self, kind, number):
        servers = self._servers(kind.server)
        for server in servers:
            if server.name == f'{kind.server}-{number}':
                return server
        raise LabError(f'lab {self.spec.name!r} has no {kind.one} {number}; '
                       f'it has {kind.many} 1 to {len(servers)}')

    def _save(self, changed):
        self._state = changed
        state.write(self.directory, changed)

    def _start_all(self):
        sinks = {region: self._start_sink(region) for region in range(1, self.spec.regions + 1)}
        kinds = {server.kind for server in self._servers(None)}
        self._spawn(FORK_SERVER, FORK_SERVER, fork_server.command(self.directory, kinds))
        rings.write_rings(self.directory, self._state)
        for region, sink in sinks.items():
            logs = [self.log(name) for name in build.logged(self._state, region)]
            ready.wait_for_files(logs, sink, self.directory / 'log', self.spec.timeout)
        self._start(self._servers(None))

    def _start_sink(self, region):
        command = build.sink_command(self.directory, self._state, region)
        return self._spawn(f'{build.SINK}{self.spec.suffix(region)}', build.SINK, command,
                           site=self.spec.site_of(region))

    def _start(self, servers):
        ready.wait_ready([self._start_one(server) for server in servers], self.directory / 'log',
                         self.spec.timeout)

    def _start_one(self, server):
        """Start a server, by the fork server if possible, else by command; return its Process."""
        known = server.name, server.kind, build.command(self.directory, server)
        site = self.spec.site_of(server.region)
        pid = fork_server.fork(
            self.directory, self._state.processes.get(FORK_SERVER), server.name,
            process.output(self.directory, server.name), known[-1][1:], site,
        ) if server.kind in fork_server.MODULES else None
        if pid is None:
            return self._spawn(*known, server.ip, server.port, site=site)
        return self._known(process.born(pid, *known, server.ip, server.port))

    def _spawn(self, name, kind, command, *address, site=None):
        """Start and record a process, in the network of `site` if it is one."""
        inside = namespaces.inside(site) if site else []
        return self._known(process.spawn(self.directory, name, kind, [*inside, *command],
                                         *address))

    def _known(self, born):
        self._save(self._state._replace(processes=self._state.processes | {born.name: born}))
        return born

    def _kill(self, servers):
        processes = self._state.processes
        those = [processes[server.name] for server in servers if server.name in processes]
        process.stop(those, 0, lambda: process.members(self.directory, those))
