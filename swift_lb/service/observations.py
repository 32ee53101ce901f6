"""What the proxies of a cluster measure for other clusters, as one of its agents knows it.

Each worker tells the agent of its host once a second (proxy/dispatch/observer.py). Once an interval
the agent tells the speakers of its cluster what is new, in one datagram of the same form: the times
of its host's workers, weighted by their requests; one rate of each link; client networks, the
busiest first; how many requests came from each other cluster. So a speaker receives at most one
such datagram an interval from each other node.
"""
from collections import Counter, deque

from swift_lb.dispatch.clusters import DEAD_AFTER
from swift_lb.dispatch.networks import NetworkPaths
from swift_lb.model import ContentTime
from swift_lb.service.ended_reads import EndedReads
from swift_lb.service.mean_times import mean_seconds, weighted
from swift_lb.service.sent_reads import RecentReads
from swift_lb.service.taken_rates import TakenRates
from swift_lb.wire import observations, signature
from swift_lb.wire.cluster_summary import MAX_ENDED, MAX_RATE, MAX_SECONDS
from swift_lb.wire.freshness import FORGET_AFTER, Freshness
from swift_lb.wire.node_report import MAX_DATAGRAM
from swift_lb.wire.observations import AGENT, MAGIC, Observations, RelayedBody, TakenRequests

FORGED, GARBLED, STRANGER = 'forged', 'garbled', 'stranger'
TOLD_EVERY = 1.0        # seconds between two datagrams of a worker


class ClusterObservations:
    """Keeps what this host's workers, and other agents of its cluster, have measured."""

    def __init__(self, node, epoch):
        """Take the name of this node, and the epoch of its agent."""
        self.accepted, self.refused = 0, Counter()
        self.paths = NetworkPaths()         # of the whole cluster, if this node is told
        self._node, self._epoch, self._sequence = node, epoch, 0
        self._freshness, self._heard_at = Freshness(), {}   # 'NODE WORKER' -> instant
        self._times = {}                    # (node, worker) -> (ServedTimes, when they are too old)
        self._own, self._all = {}, {}       # other cluster -> RelayedBody since the last interval
        self._untold = NetworkPaths()       # of this host
        self.sent = RecentReads()           # of this host
        self._taken = TakenRates()          # of the whole cluster, if this node is told
        self._own_taken = Counter()         # of this host: other cluster -> requests to be told
        self._ended = EndedReads()          # of the whole cluster, if this node is told
        self._own_ended = deque(maxlen=MAX_ENDED)   # of this host: what is to be told

    def receive(self, options, keys, datagram, now, wall):
        """Keep the observations in `datagram`, or count why they are refused.

        `options` are ClusterOptions, `keys` those that may have signed it; `now` is monotonic
        seconds, `wall` the time of day.
        """
        reason = self._keep(options, keys, datagram, now, wall)
        if reason is None:
            self.accepted += 1
        else:
            self.refused[reason] += 1

    def _keep(self, options, keys, datagram, now, wall):
        payload = signature.verified(keys, datagram, MAGIC)
        if payload is None or len(datagram) > MAX_DATAGRAM:
            return FORGED
        seen = observations.decode(payload)
        if seen is None:
            return GARBLED
        if seen.cluster != options.name or (seen.node == self._node) == (seen.worker == AGENT):
            return STRANGER
        source = f'{seen.node} {seen.worker}'
        reason = self._freshness.refuses(seen._replace(node=source), wall, now)
        if reason is not None:
            return reason
        silent = DEAD_AFTER * (options.interval if seen.worker == AGENT else TOLD_EVERY)
        self._times[seen.node, seen.worker] = seen.times, now + silent
        self._heard_at[source] = now
        self._learn(seen, now)
        return None

    def _learn(self, seen, now):
        self._taken.add(seen.taken, now)
        self._ended.add(seen.ended, now)
        if seen.worker != AGENT:
            self.sent.add(seen.sent, now)
            self._own_ended.extend(seen.ended)
            for one in seen.taken:
                self._own_taken[one.cluster] += one.requests
        for body in seen.bodies:
            self.note_body(body, own=seen.worker != AGENT)
        for path in seen.paths:
            self.paths.add(path, now)
            if seen.worker != AGENT:
                self._untold.add(path, now)

    def note_body(self, body, own=True):
        """Add a RelayedBody to those of this interval; tell() tells those of this host, `own`."""
        for known in (self._all, self._own) if own else (self._all,):
            before = known.get(body.cluster, RelayedBody(body.cluster, 0.0, 0.0))
            total, seconds = before.bytes + body.bytes, before.seconds + body.seconds
            part = min(1.0, MAX_RATE / total, MAX_SECONDS / seconds)    # a datagram tells no more
            known[body.cluster] = RelayedBody(body.cluster, part * total, part * seconds)

    def take_rates(self):
        """Return {other cluster: bytes per second} of the bodies since the last call."""
        bodies, self._all = self._all, {}
        return {cluster: one.bytes / one.seconds for cluster, one in bodies.items()}

    def tell(self, cluster, key, now, wall):
        """Return a signed datagram with what is new on this host, None if nothing is.

        `cluster` is the name of this one.
        """
        seen = Observations(
            cluster, self._node, AGENT, self._epoch, self._sequence + 1, wall,
            tuple(self.times_of(self._node).values()), tuple(self._own.values()),
            tuple(self._untold.busiest()),
            taken=tuple([TakenRequests(*one) for one in self._own_taken.items()]),
            ended=tuple(self._own_ended))
        self._own, self._own_taken = {}, Counter()
        self._own_ended.clear()
        if not any(seen[6:]):
            return None
        self._sequence += 1
        payload = observations.encode(seen)
        self._untold.drop([path.network for path in observations.decode(payload).paths])
        return signature.sign(key, payload, MAGIC)

    def times_of(self, node):
        """Return {class of content: ServedTime} of one node, the mean of its workers' times."""
        return weighted([times for (name, _worker), (times, _until) in self._times.items()
                         if name == node])

    def times(self, nodes, relays):
        """Return a tuple of ContentTimes of the cluster, whose `nodes` are names.

        A class takes the mean of the times at `relays`, names of the nodes to which requests of
        other clusters go; if it is known at none of these, at the other nodes.
        """
        first, rest = [weighted([self.times_of(node).values() for node in names])
                       for names in (relays, nodes)]
        return tuple([ContentTime(one.content, one.seconds, one.step)
                      for _content, one in sorted({**rest, **first}.items())])

    def ended(self, now):
        """Return {other cluster: [EndedRedirect, ...]} of the last reads that it redirected here.
        """
        return self._ended.of_clusters(now)

    def usual_seconds(self):
        """Return the mean seconds of all requests that are known, None if there are none."""
        return mean_seconds([one for times, _until in self._times.values() for one in times])

    def taken(self, now):
        """Return {other cluster: requests per second} that came lately, None if it is not known.

        It is known if a proxy of this cluster, or an agent, has told anything lately.
        """
        return self._taken.from_clusters(now) if self._times else None

    def forget(self, now):
        """Forget, at `now`, the times of workers and nodes that are silent, and old networks."""
        for source in [source for source, (_times, until) in self._times.items() if now > until]:
            del self._times[source]
        for source in [source for source, at in self._heard_at.items() if now - at > FORGET_AFTER]:
            del self._heard_at[source]
            self._freshness.forget(source)
        self.paths.forget(now)
        self._untold.forget(now)
