"""A node's last probe, and the limit above which nodes count as hot: Prequal's pool of probes.

    probe       (in_flight, latency, at) of the last answer
    in_flight   the node's requests in flight: DeviceReport.in_flight, and one for each later order
                that put the node first, as the paper's client counts what it sends itself
    latency     seconds: (DeviceReport.in_flight + 1) x service_time, the wait of a request behind
                that many. The paper's server returns the median of its latest latencies at about
                its present in_flight
    hot_above   the Q_RIF quantile of the in_flight of the latest RECENT answers of all nodes

The probe of a node that does not report is a read of it: in_flight is the number of reads of this
book that were queued there when it was sent, latency its first_byte_time.

    Q_RIF = 2^-0.25 = 0.84   the paper's baseline
    RECENT = 64              the paper says "recent"; prequal-rs has 64 (rif_history)

Source: that of policy/prequal.py; prequal-rs/prequal, history.rs (the quantile's definition).
"""
from bisect import bisect_left, insort
from collections import deque
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

Q_RIF = 2 ** -0.25
RECENT = 64
MAX_AGE = 1.0   # seconds: a probe's, in the paper; here also a report's, before reads replace it


class Limit(NamedTuple):
    """The number of requests in flight above which a node is hot."""

    hot_above: int


class RecentInFlight:
    """Keep the in_flight of the latest RECENT answers of all nodes."""

    __slots__ = ('_latest', '_sorted')

    def __init__(self):
        self._latest, self._sorted = deque(), []

    def add(self, in_flight):
        """Add the in_flight of an answer, and drop the oldest if there are more than RECENT."""
        if len(self._latest) == RECENT:
            del self._sorted[bisect_left(self._sorted, self._latest.popleft())]
        self._latest.append(in_flight)
        insort(self._sorted, in_flight)

    def view(self):
        """Return the Limit above which nodes are hot, or None before the first answer."""
        if not self._sorted:
            return None
        return Limit(self._sorted[int((len(self._sorted) - 1) * Q_RIF)])


class ProbeResult(NamedTuple):
    """The last probe of a node: requests in flight, latency in seconds, its instant."""

    in_flight: int
    latency: float
    at: float


class Probe(Evidence):
    """Keep the last probe of one node: its requests in flight and its latency, from an answer."""

    __slots__ = ('_last', '_recent', '_reported_at')
    common = RecentInFlight

    def __init__(self, recent):
        self._recent, self._last, self._reported_at = recent, None, None

    def answered(self, first_byte_time, ahead, now):
        """If no report came for MAX_AGE (1 s), take (ahead, first_byte_time) as a probe."""
        if self._reported_at is None or now - self._reported_at > MAX_AGE:
            self._take(ahead, first_byte_time, now)

    def reported(self, report, ours, now):
        """Keep a DeviceReport as the last probe; it includes the reads of this host (`ours`)."""
        self._reported_at = now
        self._take(report.in_flight, (report.in_flight + 1) * report.service_time, now)

    def _take(self, in_flight, latency, now):
        self._last = ProbeResult(in_flight, latency, now)
        self._recent.add(in_flight)

    @staticmethod
    def ordered(evidence, now):
        """Add 1 to the in_flight of an order's first node, which is about to get the read.

        `evidence` has the Probes of the order's nodes, in order. Returns True: Snapshots change.
        """
        first = evidence[0]
        if first._last is not None:
            first._last = first._last._replace(in_flight=first._last.in_flight + 1)
        return True

    def view(self):
        """Return the ProbeResult, or None before the first answer."""
        return self._last
