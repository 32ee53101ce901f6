"""Exchanges summaries with other clusters on a UDP socket, and writes what is known to a file.

It is not the socket of the agent's reports: other networks must reach this one, and it is read as
soon as a datagram comes, since the round trip between clusters is measured by summaries.
"""
from swift_lb import clusters_file
from swift_lb.authorities import Authorities
from swift_lb.concurrency import sleep, spawn, wait_readable
from swift_lb.errors import AgentError
from swift_lb.plan.credits import room_of
from swift_lb.service.clusters.exchange import ClusterExchange
from swift_lb.service.mesh import Mesh
from swift_lb.service.probe import probe
from swift_lb.service.rings import RingDigest
from swift_lb.wire.image_state import of_metrics

NEED_RESTART = 'name', 'bind_ip', 'bind_port'
RINGS_INTERVAL = 15.0       # seconds between two looks at the ring files


class Summaries:
    """Exchanges the summaries of this host's cluster and of others, in three greenthreads."""

    def __init__(self, options, agent, clock, wall, swift_dir):
        """Take ClusterOptions and the Agent; bind the socket.

        `clock()` returns monotonic seconds, `wall()` the time of day. `swift_dir` is the directory
        of the ring files of this host's proxy.
        """
        self.exchange = ClusterExchange(options, agent.options.node, agent.inbox.epoch)
        self.mesh = Mesh(options.bind_ip, options.bind_port)
        self._agent, self._clock, self._wall, self.swift_dir = agent, clock, wall, swift_dir
        self._authorities = Authorities(clock)
        agent.clusters = self.exchange

    def start(self):
        """Send and receive from now on."""
        spawn(self._receive_for_ever)
        spawn(self._speak_for_ever)
        spawn(self._follow_rings_for_ever)

    def resolve(self):
        """Look up the agents of other clusters in `peers`; return a sentence per name not found."""
        options = self.exchange.options
        gateways = [peer for peer in options.peers if peer[0] != options.name]
        _addresses, faults = self.mesh.resolve([peer[1:] for peer in gateways])
        self.exchange.addresses = {
            cluster: [address for name, *peer in gateways if name == cluster
                      for address in self.mesh.addresses_of(tuple(peer))]
            for cluster in options.clusters}
        return [f'[lb-cluster] {fault}' for fault in faults]

    def _receive_for_ever(self):
        while True:
            wait_readable(self.mesh.socket)
            try:
                self.receive()
            except Exception as err:
                self._agent.fault('clusters', f'summaries cannot be read: {err!r}')

    def receive(self):
        """Read the datagrams that have come; pass new ones of other clusters on to own agents."""
        own = self._own()
        for datagram, (ip, _port) in self.mesh.receive():
            is_new = self.exchange.receive(datagram, self._clock(), self._wall())
            if is_new and ip not in {address for address, _port in own}:
                self.mesh.send(datagram, own)

    def _own(self):
        """Return the addresses at which the other agents of this cluster receive summaries."""
        port = self.exchange.options.bind_port
        return [(ip, port) for ip in dict.fromkeys(
            address[0] for address in self._agent.neighbours.targets())]

    def _speak_for_ever(self):
        while True:
            self.speak(self._clock())
            sleep(self.exchange.options.interval)

    def _follow_rings_for_ever(self):
        digest = RingDigest()
        while True:
            self.exchange.ring = digest.of(self.swift_dir, self.exchange.options.keys[0])
            sleep(RINGS_INTERVAL)

    def speak(self, now):
        """Send summaries, measurements and probes that are due; write the file of clusters.

        Only a node that speaks for this cluster sends its summary. `now` is monotonic seconds.
        """
        path = self.exchange.options.clusters_file
        agent = self._agent
        try:
            reports = [report for report, _at in agent.inbox.reports.values()]
            self.exchange.grant(room_of(reports, agent.instruction, agent.options.plan,
                                        self.exchange.observed.usual_seconds()), now)
            datagram, letters = self.exchange.speak(
                agent.instruction, now, self._wall(),
                {report.node: of_metrics(report.metrics) for report in reports})
            if datagram is not None:
                self.mesh.send(datagram, self._own())
            for letter, addresses in letters:
                self.mesh.send(letter, addresses)
            self._tell(now)
            self.exchange.forget(now)
            known = self.exchange.clusters(now)
            self._probe(known, now)
            clusters_file.write(path, known)
        except OSError as err:
            self._agent.fault('clusters', f'{path}: {err.strerror or err}; proxies serve all '
                              'requests in this cluster')
        except Exception as err:    # a summary that does not fit, or a fault of ours
            self._agent.fault('clusters', f'no summary can be sent: {err}')
        else:
            self._agent.fault('clusters', self._authorities.fault(self.exchange.options.ca_file))


    def _tell(self, now):
        """Tell the speakers what this host's proxy has measured."""
        port = self.exchange.options.bind_port
        datagram, nodes = self.exchange.tell(now, self._wall())
        if datagram is None:
            return
        addresses = [self._agent.neighbours.address_of(node) for node in nodes]
        self.mesh.send(datagram, [(one[0], port) for one in addresses if one is not None])

    def _probe(self, known, now):
        """Probe the links without samples, each in a greenthread; `known` are Clusters."""
        for due in self.exchange.probes(self._agent.instruction, known, now):
            spawn(self._probe_one, due)

    def _probe_one(self, due):
        options = self.exchange.options
        result = probe(due, options.name, options.keys[0], self._wall,
                       lambda: self._authorities.context(options.ca_file))
        self.exchange.probing.note(due.cluster, result)


def check_clusters(before, after):
    """Raise AgentError if ClusterOptions `before` and `after` differ in what needs a restart."""
    if (before is None) != (after is None):
        raise AgentError('[lb-cluster] can only be added or removed by a restart')
    fixed = [name for name in NEED_RESTART if getattr(before, name, 0) != getattr(after, name, 0)]
    if fixed:
        raise AgentError(f'[lb-cluster] {", ".join(fixed)} can only be changed by a restart')
