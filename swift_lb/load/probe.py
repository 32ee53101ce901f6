"""What a node last said of itself, and what is much among all nodes: Prequal's pool of probes.

    probe       (in_flight, latency, at) of the last answer
    in_flight   the node's requests in flight: DeviceReport.in_flight; one more after each order
                that put the node first since, as the paper's client counts what it sends itself
    latency     seconds: (DeviceReport.in_flight + 1) x service_time, what a request waits where
                there are so many. The paper's server gives the median of its latest latencies at
                about its present in_flight
    hot_above   the Q_RIF quantile of the in_flight of the latest RECENT answers of all nodes

A node that does not report is seen from here: in_flight is what was queued there by ourselves when
the read was sent, latency the first_byte_time of that read.

    Q_RIF = 2^-0.25 = 0.84   the paper's baseline
    RECENT = 64              the paper says "recent"; prequal-rs has 64 (rif_history)

Source: Wydrowski, Kleinberg, Rumble, Archer, "Load is not what you should balance: Introducing
Prequal", NSDI 2024, arXiv 2312.10172; prequal-rs/prequal, history.rs (the quantile's definition).
"""
from bisect import bisect_left, insort
from collections import deque
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

Q_RIF = 2 ** -0.25
RECENT = 64
MAX_AGE = 1.0   # seconds: a probe's, in the paper; here also how long a report stands for the next


class Limit(NamedTuple):
    """What divides the hot from the cold."""

    hot_above: int


class RecentInFlight:
    """The in_flight of the latest answers of all nodes."""

    __slots__ = ('_latest', '_sorted')

    def __init__(self):
        self._latest, self._sorted = deque(), []

    def add(self, in_flight):
        """Add what an answer showed."""
        if len(self._latest) == RECENT:
            del self._sorted[bisect_left(self._sorted, self._latest.popleft())]
        self._latest.append(in_flight)
        insort(self._sorted, in_flight)

    def view(self):
        """Return the Limit, or None before the first answer."""
        if not self._sorted:
            return None
        return Limit(self._sorted[int((len(self._sorted) - 1) * Q_RIF)])


class Seen(NamedTuple):
    """A probe."""

    in_flight: int
    latency: float
    at: float


class Probe(Evidence):
    """Keep the last probe of one node."""

    __slots__ = ('_recent', '_reported_at', '_seen')
    common = RecentInFlight

    def __init__(self, recent):
        self._recent, self._seen, self._reported_at = recent, None, None

    def answered(self, first_byte_time, ahead, now):
        """Take the answer itself for a probe, unless the node reports."""
        if self._reported_at is None or now - self._reported_at > MAX_AGE:
            self._take(ahead, first_byte_time, now)

    def reported(self, report, ours, now):
        """Take the report."""
        self._reported_at = now
        self._take(report.in_flight, (report.in_flight + 1) * report.service_time, now)

    def _take(self, in_flight, latency, now):
        self._seen = Seen(in_flight, latency, now)
        self._recent.add(in_flight)

    @staticmethod
    def ordered(evidence, now):
        """Count the request that the first will get."""
        first = evidence[0]
        if first._seen is not None:
            first._seen = first._seen._replace(in_flight=first._seen.in_flight + 1)
        return True

    def view(self):
        """Return the Seen, or None before the first answer."""
        return self._seen
