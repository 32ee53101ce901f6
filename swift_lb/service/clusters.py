"""The summaries of clusters at one agent: it speaks for its own cluster, and keeps the others'.

Two agents of each cluster speak to each other cluster (plan/speakers.py): a speaker sends its
summary to two gateways, agents there, in turn, and to all agents of its own cluster, which learn
the links from it. An agent that receives a summary from another cluster passes it on, unchanged, to
the agents of its own. Clusters of other groups get the summary of the group (plan/groups.py), put
together from this cluster's own and the last ones of the other members. Each agent tells the
speakers of its cluster what the proxy of its host has measured (observations.py).
"""
import functools
import hashlib
from collections import Counter, deque
from typing import NamedTuple

from swift_lb.dispatch.clusters import DEAD_AFTER, alive
from swift_lb.model import ClientPath, ClusterLink, Clusters, ClusterSummary, Echo, HeardCluster
from swift_lb.plan.credits import credits_of
from swift_lb.plan.forecast.series import MeasuredSeries
from swift_lb.plan.groups import aggregate, is_in
from swift_lb.plan.shares import mean
from swift_lb.plan.speakers import speakers, spoken_to
from swift_lb.service.cluster_forecasts import HeardForecasts, LinkBandwidths
from swift_lb.service.observations import ClusterObservations
from swift_lb.wire import cluster_summary, observations, signature
from swift_lb.wire.cluster_summary import MAX_RELAYS
from swift_lb.wire.freshness import OLD, Freshness
from swift_lb.wire.node_report import MAX_DATAGRAM
from swift_lb.wire.relay import relay_address

GATEWAYS = 2            # of a cluster to which a speaker sends each summary
WINDOW = 64             # summaries of a speaker from which the lost ones are counted
TOLD_PATHS = 8          # of a summary: so many fit beside the echoes for one cluster
LINK_ROUNDS = 4         # times as long a link is kept: this many summaries may tell all links
FORGET_AFTER = 600.0    # seconds after which a silent cluster is forgotten
FORGED, GARBLED, STRANGER, OWN = 'forged', 'garbled', 'stranger', 'own'


class Reception(NamedTuple):
    """The summaries that have come from one speaker since its agent started."""

    summary: ClusterSummary     # the last
    at: float                   # the instant at which it came
    first: int                  # the sequence of the first
    received: int = 1           # a bit for each of the last WINDOW sequences, the last one lowest

    def after(self, summary, at):
        """Return the Reception after a later `summary` of the same speaker, which came at `at`."""
        if summary.epoch != self.summary.epoch:
            return Reception(summary, at, summary.sequence)
        passed = min(WINDOW, summary.sequence - self.summary.sequence)
        received = (self.received << passed | 1) & ((1 << WINDOW) - 1)
        return self._replace(summary=summary, at=at, received=received)

    @property
    def lost(self):
        """The fraction of the speaker's last WINDOW summaries that did not come."""
        sent = min(WINDOW, self.summary.sequence - self.first + 1)
        return max(0.0, 1.0 - self.received.bit_count() / sent)


class ClusterExchange:
    """Sends, receives and keeps the summaries of one agent; its methods do no I/O."""

    def __init__(self, options, node, epoch):
        """Take ClusterOptions, the name of this node, and the epoch of its agent."""
        self.options, self.accepted, self.refused = options, 0, Counter()
        self._node, self._epoch, self._sequence = node, epoch, 0
        self._freshness, self._receptions = Freshness(), {}    # (cluster, node) -> Reception
        self._sent, self._rtts = {}, {}     # sequence -> instant; cluster -> Series of seconds
        self._lost, self._links = {}, {}    # cluster -> fraction; (speaker, cluster) -> link, until
        self._begins = [0, 0]               # where the next links and paths begin
        self.observed = ClusterObservations(node, epoch)
        self.probed = Counter()             # (cluster, 'answered' or 'failed') -> probes
        self.bandwidths, self._heard = LinkBandwidths(), HeardForecasts()
        self._accepted = deque(maxlen=WINDOW)       # the last datagrams
        self._targets = {}      # this cluster or a group -> clusters to which its summary goes
        self.addresses = {}                 # other cluster -> [(ip, port) of a gateway]
        self.credits = {}       # other cluster -> requests per second that it may send here
        self.ring = ''          # the digest of this host's Swift

    @property
    def keys(self):
        """The keys, bytes, that verify summaries; the first one signs."""
        return tuple(key.encode() for key in (self.options.key, self.options.key2) if key)

    def receive(self, datagram, now, wall):
        """Keep the summary in `datagram`, or count why it is refused; return whether it is new.

        `now` is the monotonic instant and `wall` the time of day at which it came. Observations of
        this cluster are kept, too; for them the result is False.
        """
        if datagram.startswith(observations.MAGIC):
            self.observed.receive(self.options, self.keys, datagram, now, wall)
            return False
        reason = self._keep(datagram, now, wall)
        if reason is not None:
            self.refused[reason] += 1
        return reason is None

    def _keep(self, datagram, now, wall):
        if len(datagram) > MAX_DATAGRAM:
            return FORGED
        payload = signature.verified(self.keys, datagram, cluster_summary.MAGIC)
        if payload is None:
            return FORGED
        if datagram in self._accepted:
            return OLD      # by way of another gateway: each summary comes twice or more
        summary = cluster_summary.decode(payload)
        if summary is None or not all(map(is_elsewhere, summary.relays)):
            return GARBLED
        if summary.cluster not in self._known_names():
            return STRANGER
        speaker = summary.cluster, summary.node
        if speaker == (self.options.name, self._node):
            return OWN
        reason = self._freshness.refuses(summary._replace(node=' '.join(speaker)), wall, now)
        if reason is not None:
            return reason
        self.accepted += 1
        self._accepted.append(datagram)
        self._receive(speaker, summary, now)
        return None

    def _known_names(self):
        return {self.options.name, *self.options.others}

    def _receive(self, speaker, summary, now):
        before = self._receptions.get(speaker)
        self._receptions[speaker] = (before.after(summary, now) if before else
                                     Reception(summary, now, summary.sequence))
        self._heard.hear_paths(summary, now)
        if summary.cluster == self.options.name:
            until = now + LINK_ROUNDS * DEAD_AFTER * summary.interval
            self._links |= {(summary.node, link.cluster): (link, until) for link in summary.links}
        else:
            self._heard.hear_times(summary, now)
            self._measure(summary, now)

    def _measure(self, summary, now):
        """Measure the link by the echoes of this speaker's own summaries."""
        own = self._own_speakers()
        for echo in summary.echoes:
            if echo[:2] not in own or echo.epoch != self._epoch:
                continue
            self._lost[summary.cluster] = echo.lost
            sent = self._sent.get(echo.sequence)
            if sent is not None:
                if summary.cluster not in self._rtts:
                    self._rtts[summary.cluster] = MeasuredSeries()
                self._rtts[summary.cluster].add(max(0.0, now - sent - echo.held))

    def speak(self, instruction, now, wall):
        """Return (the summary for this cluster's agents, [(summary for another one, addresses)]).

        They are signed datagrams; None and [] if this node does not speak. `instruction` is the
        current Instruction or None, `now` monotonic seconds.
        Of its nodes those count that dispatchers may ask, overloaded ones too.
        """
        for cluster, rate in self.observed.take_rates().items():
            self.bandwidths.add(cluster, rate, now)
        names = askable(instruction)
        up = [instruction.of(name) for name in names]
        self._targets = spoken_to(self._node, names, self.options.groups, self._lately(now))
        if not self._targets:
            return None, []
        self._sequence += 1
        self._sent[self._sequence] = now
        self._sent.pop(self._sequence - WINDOW, None)
        payload = cluster_summary.encode(self._summary(up, now, wall))
        told = cluster_summary.decode(payload)
        self._receive((told.cluster, told.node), told, now)
        self._begins = [begin + len(part) for begin, part in zip(
            self._begins, (told.links, told.paths), strict=True)]
        return self._signed(payload), list(self._letters(told, now))

    def _letters(self, own, now):
        """Yield (datagram, addresses) for each cluster that this node speaks to.

        `own` is the summary of this cluster. Each other one gets what concerns it: the echoes of
        its speakers, and its credit. Siblings get the credits of other groups, too: those of their
        group are the sum.
        """
        known = self.options.groups.known
        for name, clusters in self._targets.items():
            summary = own if name == self.options.name else self._group_summary(name, own, now)
            inside = name.rpartition('.')[0]
            for cluster in clusters:
                yield self._signed(cluster_summary.encode(summary._replace(
                    credits=tuple((asker, rate) for asker, rate in summary.credits
                                  if asker == known[cluster] or not is_in(asker, inside)),
                    echoes=tuple(self._echoes(known[cluster], now)), links=()))
                ), self._gateways(cluster)

    def _signed(self, payload):
        return signature.sign(self.keys[0], payload, cluster_summary.MAGIC)

    def _group_summary(self, group, own, now):
        near = {self.options.groups.known[cluster] for cluster in self.options.groups.near[group]}
        parts = [summary for name, summary in self._lately(now).items() if name in near]
        return functools.reduce(aggregate, parts, own)._replace(
            cluster=group, node=group_speaker(self.options.name, self._node), epoch=own.epoch,
            sequence=own.sequence, sent_at=own.sent_at, interval=own.interval)

    def _own_speakers(self):
        """Return {(cluster or group, node)} by which others name this agent in their echoes."""
        speaker = group_speaker(self.options.name, self._node)
        return {(self.options.name, self._node), *((group, speaker) for group in self._targets)}

    def _lately(self, now):
        """Return {cluster or group: its last summary} of the others that are heard."""
        return {cluster: one.summary for (cluster, _node), one in sorted(
            self._receptions.items(), key=lambda item: item[1].at)
            if cluster != self.options.name and now - one.at <= DEAD_AFTER * one.summary.interval}

    def _gateways(self, cluster):
        known = self.addresses.get(cluster, ())
        first = self._sequence * GATEWAYS
        return [known[(first + number) % len(known)] for number in range(min(GATEWAYS, len(known)))]

    def _summary(self, up, now, wall):
        loads = [one.load for one in up if one.load is not None]
        links, paths = [rotated(rows, begin) for rows, begin in zip(
            (self._own_links(), self._paths()), self._begins, strict=True)]
        relays, asked = self._relays(up)
        return ClusterSummary(
            self.options.name, self._node, self._epoch, self._sequence, wall,
            self.options.interval, self.options.url, len(up), mean(loads),
            min(loads, default=None), relays, self.observed.times([one.node for one in up], asked),
            largest_first(self.credits), self.ring, self.options.region, links=links,
            paths=paths[:TOLD_PATHS])

    def _paths(self):
        return [ClientPath(path.network, path.rtt, path.bandwidth)
                for path in self.observed.paths.busiest() if path.bandwidth is not None]

    def _relays(self, up):
        """Return (texts of at most MAX_RELAYS addresses, names of the nodes that they lead to).

        The addresses are those in `relays`, another one first each time; if there are none, the
        least loaded proxies of the nodes `up`.
        """
        fixed = self.options.relays
        if fixed:
            return tuple(fixed[(self._sequence + number) % len(fixed)] for number in range(
                min(MAX_RELAYS, len(fixed)))), [one.node for one in up]
        proxies = sorted((one.load is None, one.load, one.node, one.proxy)
                         for one in up if one.proxy)[:MAX_RELAYS]
        return tuple(proxy for *_, proxy in proxies), [node for *_, node, _proxy in proxies]

    def grant(self, room, now):
        """Grant the other clusters that are heard what they may send here, `credits`.

        `room` is the Room of this cluster's nodes (plan/credits.py). What was used is not known.
        """
        self.credits = credits_of(room, dict.fromkeys(self._lately(now)), self.credits)

    def _echoes(self, known, now):
        """Yield the Echoes of the cluster or group `known`."""
        for (cluster, node), one in self._receptions.items():
            if cluster == known and now - one.at <= DEAD_AFTER * one.summary.interval:
                yield Echo(cluster, node, one.summary.epoch, one.summary.sequence, now - one.at,
                           one.lost)

    def _own_links(self):
        """Yield a ClusterLink to each cluster that has echoed a summary of this speaker."""
        for cluster, series in self._rtts.items():
            forecast = series.forecast
            yield ClusterLink(cluster, max(0.0, forecast.value), forecast.mae,
                              self._lost.get(cluster, 0.0), *self.bandwidths.forecast(cluster))

    def tell(self, now, wall):
        """Return (datagram, nodes to send it to): what this host's proxy has measured, if anything.

        The nodes are the names of those that have spoken for this cluster lately.
        """
        self.observed.forget(now)
        targets = {node for (cluster, node), one in self._receptions.items()
                   if cluster == self.options.name and node != self._node
                   and now - one.at <= DEAD_AFTER * one.summary.interval}
        return self.observed.tell(self.options.name, self.keys[0], now, wall), targets

    def probes(self, instruction, known, now):
        """Return {other cluster: a proxy of it, IP:PORT} to which this agent is to send a probe.

        One node probes a link: the first of two by rendezvous. `known` are Clusters.
        """
        names = askable(instruction)
        return {cluster: summary.relays[self._sequence % len(summary.relays)]
                for cluster, summary in alive(known, now).items()
                if summary.relays and self._node in speakers(cluster, names)[:1]
                and self.bandwidths.is_due(cluster, now)}

    def note_probe(self, cluster, body):
        """Learn from the RelayedBody of a probe, None if it has failed."""
        self.probed[cluster, 'failed' if body is None else 'answered'] += 1
        if body is not None:
            self.observed.note_body(body)

    def forget(self, now):
        """Forget speakers silent for FORGET_AFTER, and clusters that are no longer in the conf."""
        known = self._known_names()
        for speaker in [speaker for speaker, one in self._receptions.items()
                        if now - one.at > FORGET_AFTER or speaker[0] not in known]:
            del self._receptions[speaker]
            self._freshness.forget(' '.join(speaker))
        self._rtts = {name: series for name, series in self._rtts.items() if name in known}
        self._links = {key: one for key, one in self._links.items()
                       if now <= one[1] and key[1] in known}
        self._heard.forget(known)

    def clusters(self, now):
        """Return the Clusters that this host knows now: the last summary of each, and the links."""
        others = {}
        for (cluster, _node), one in sorted(self._receptions.items(), key=lambda item: item[1].at):
            if cluster != self.options.name:
                others[cluster] = HeardCluster(one.summary, one.at)
        return Clusters(self.options.name, others, self._links_of_speakers(now),
                        self.options.others, {name: self._heard.times(name) for name in others},
                        self._heard.paths(now), self.ring)

    def _links_of_speakers(self, now):
        """Return {cluster: the link that was told last, if possible one of known bandwidth}."""
        told = sorted((link.bandwidth is not None, until, link.cluster, place)
                      for place, (link, until) in self._links.items() if now <= until)
        return {cluster: self._links[place][0] for *_order, cluster, place in told}


def askable(instruction):
    """Return the names of the nodes that dispatchers may ask, [] without an Instruction."""
    return [one.node for one in instruction.nodes
            if one.node in instruction.askable] if instruction else []


def rotated(rows, begin):
    """Return `rows` as a tuple that begins at the place `begin`, counted on from the end."""
    rows = tuple(rows)
    place = begin % len(rows) if rows else 0
    return rows[place:] + rows[:place]


def group_speaker(cluster, node):
    """Return the name of a node of `cluster` as a speaker for a group: no other one has it."""
    return hashlib.sha256(f'{cluster} {node}'.encode()).hexdigest()[:16]


def largest_first(credits):
    """Return {cluster: requests per second} as pairs without those of 0, the largest first."""
    return tuple(sorted(((cluster, rate) for cluster, rate in credits.items() if rate > 0),
                        key=lambda pair: (-pair[1], pair[0])))


@functools.lru_cache(maxsize=4096)
def is_elsewhere(relay):
    """Return whether the text of a relay is an address that can be another host's."""
    try:
        return relay_address(relay).is_elsewhere
    except ValueError:
        return False
