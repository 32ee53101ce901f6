"""The summaries of clusters at one agent: it speaks for its own cluster, and keeps the others'.

Two agents of each cluster speak to each other cluster (plan/speakers.py): a speaker sends its
summary to two gateways, agents there, in turn, and to all agents of its own cluster, which learn
the links from it. An agent that receives a summary from another cluster passes it on, unchanged, to
the agents of its own. Clusters of other groups get the summary of the group (plan/groups.py), put
together from this cluster's own and the last ones of the other members. Each agent tells the
speakers of its cluster what the proxy of its host has measured (observations.py).
"""
from math import fsum

from swift_lb.dispatch.clusters import alive
from swift_lb.model import Clusters
from swift_lb.plan.credits import credits_of
from swift_lb.plan.groups import is_in
from swift_lb.plan.speakers import spoken_to
from swift_lb.service.cluster_forecasts import HeardForecasts
from swift_lb.service.clusters.inspection import SummaryInspection
from swift_lb.service.clusters.letters import letters, names_of
from swift_lb.service.clusters.links import MeasuredLinks, ToldLinks
from swift_lb.service.clusters.own_summary import NO_IMAGES, OwnSummaries
from swift_lb.service.clusters.probing import LinkProbes
from swift_lb.service.clusters.receptions import Receptions
from swift_lb.service.observations import ClusterObservations
from swift_lb.wire import cluster_summary, observations, signature

GATEWAYS = 2            # of a cluster to which a speaker sends each summary


class ClusterExchange:
    """Makes and keeps the summaries of one agent as datagrams; its methods do no I/O."""

    def __init__(self, options, node, epoch):
        """Take ClusterOptions, the name of this node, and the epoch of its agent."""
        self.options, self._node = options, node
        self.inspected, self.observed = SummaryInspection(node), ClusterObservations(node, epoch)
        self.links, self._told_links = MeasuredLinks(), ToldLinks()
        self._own, self._receptions = OwnSummaries(node, epoch), Receptions()
        self._heard = HeardForecasts()
        self.probing = LinkProbes(node, self.links.bandwidths, self.observed)
        self._names = set()     # (cluster or group, node) by which others name this agent
        self.addresses = {}                 # other cluster -> [(ip, port) of a gateway]
        self.credits = {}       # other cluster -> requests per second that it may send here
        self.ring = ''          # the digest of this host's Swift

    def receive(self, datagram, now, wall):
        """Keep the summary in `datagram`, or count why it is refused; return whether it is new.

        `now` is the monotonic instant and `wall` the time of day at which it came. Observations of
        this cluster are kept, too; for them the result is False.
        """
        if datagram.startswith(observations.MAGIC):
            self.observed.receive(self.options, self.options.keys, datagram, now, wall)
            return False
        summary = self.inspected.accept(self.options, datagram, now, wall)
        if summary is None:
            return False
        self._keep(summary, now)
        if summary.cluster != self.options.name:
            self._heard.hear_times(summary, now)
            self.links.note_echoes(summary, self._names, self._own.epoch, now)
        return True

    def _keep(self, summary, now):
        self._receptions.add(summary, now)
        self._heard.hear_paths(summary, now)
        if summary.cluster == self.options.name:
            self._told_links.add(summary, now)

    def speak(self, instruction, now, wall, images=NO_IMAGES):
        """Return the signed summaries to send now, as (own, others).

        `own` is a datagram for the agents of this cluster, `others` a list of (datagram, addresses)
        for agents of other clusters; (None, []) if this node speaks to no cluster. `instruction` is
        the current Instruction, or None: of its nodes those count that dispatchers may ask,
        overloaded ones too. `now` is monotonic seconds, `wall` the time of day; `images` are {node:
        ImageState}.
        """
        for cluster, rate in self.observed.take_rates().items():
            self.links.bandwidths.add(cluster, rate, now)
        names = askable(instruction)
        groups = self.options.groups
        targets = spoken_to(self._node, names, groups, self._receptions.lately(groups.here, now))
        self._names = names_of(groups.here, self._node, targets)
        if not targets:
            return None, []
        payload, told = self._own.next(
            self.options, [instruction.of(name) for name in names], self.observed,
            self.links.forecast(), wall, self.credits, self.ring, images)
        self.links.note_sent(told.sequence, now)
        self._keep(told, now)
        return self._signed(payload), [
            (self._signed(cluster_summary.encode(letter)), self._gateways(cluster))
            for cluster, letter in letters(told, targets, groups, self._receptions,
                                           self.observed.ended(now), now)]

    def _signed(self, payload):
        return signature.sign(self.options.keys[0], payload, cluster_summary.MAGIC)

    def _gateways(self, cluster):
        known = self.addresses.get(cluster, ())
        first = self._own.sequence * GATEWAYS
        return [known[(first + number) % len(known)] for number in range(min(GATEWAYS, len(known)))]

    def grant(self, room, now):
        """Set `credits`: the requests a second that each cluster heard lately may send here.

        `room` is the Room of this cluster's nodes (plan/credits.py); `now` is monotonic seconds.
        """
        heard = self._receptions.lately(self.options.name, now)
        taken = self.observed.taken(now)
        self.credits = credits_of(room, {name: None if taken is None else fsum(
            rate for cluster, rate in taken.items() if is_in(cluster, name))
            for name in heard}, self.credits)

    def tell(self, now, wall):
        """Return (datagram with what this host's proxy has measured, names of nodes to send it to).

        The datagram is None if there is nothing new. The nodes are the other speakers of this
        cluster.
        """
        self.observed.forget(now)
        name = self.options.name
        return (self.observed.tell(name, self.options.keys[0], now, wall),
                self._receptions.speakers(name, now) - {self._node})

    def probes(self, instruction, known, now):
        """Return a list with a DueProbe of each link that this agent must probe now.

        `known` are Clusters, `instruction` is an Instruction or None.
        """
        return self.probing.due(askable(instruction), alive(known, now), known.links,
                                self._own.sequence, now)

    def forget(self, now):
        """Forget silent speakers, old links, and clusters that are no longer in the conf."""
        known = {self.options.name, *self.options.others}
        for speaker in self._receptions.forget(known, now):
            self.inspected.forget(speaker)
        self.links.forget(known)
        self._told_links.forget(known, now)
        self._heard.forget(known)

    def clusters(self, now):
        """Return the Clusters for the dispatchers of this host, as they are known `now`."""
        others = self._receptions.heard(self.options.name)
        return Clusters(self.options.name, others, self._told_links.last(now),
                        self.options.others, {name: self._heard.times(name) for name in others},
                        self._heard.paths(now), self.ring)


def askable(instruction):
    """Return the names of the nodes that dispatchers may ask, [] without an Instruction."""
    return [one.node for one in instruction.nodes
            if one.node in instruction.askable] if instruction else []
