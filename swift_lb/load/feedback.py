"""C3's three averages: how long answers take, and what the node says with them.

    average <- WEIGHT x sample + (1 - WEIGHT) x average        the first sample as it is

    response_time   seconds: first_byte_time, so that the size of an object is not held against its
                    node; C3's is that of a whole answer, and its answers are small
    service_time    seconds: DeviceReport.service_time
    queue           requests: DeviceReport.in_flight

A node that has never reported is taken at what can be seen from here: its service time is
first_byte_time / (ahead + 1) (load/service_time.py has the reason), its queue 0, for our own
requests are counted apart. The first report takes their place.

    WEIGHT = 0.9    of the new sample: ScoreTracker.java (ALPHA) and absim's client.py

Source: Suresh, Canini, Schmid, Feldmann, "C3: Cutting Tail Latency in Cloud Data Stores via
Adaptive Replica Selection", NSDI 2015; lalithsuresh/cassandra-c3; lalithsuresh/absim.
"""
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

WEIGHT = 0.9


class Averages(NamedTuple):
    """The three."""

    response_time: float | None = None
    service_time: float | None = None
    queue: float = 0.0


def average(old, sample, weight):
    """Return the moving average after `sample`; `old` is None before the first."""
    return sample if old is None else weight * sample + (1.0 - weight) * old


class Feedback(Evidence):
    """Keep the averages of one node."""

    __slots__ = ('_queue', '_response_time', '_service_time')

    def __init__(self):
        self._response_time = self._service_time = self._queue = None

    def answered(self, first_byte_time, ahead, now):
        """Take a response time, and of a node that never reports a service time."""
        self._response_time = average(self._response_time, first_byte_time, WEIGHT)
        if self._queue is None:
            self._service_time = average(self._service_time, first_byte_time / (ahead + 1), WEIGHT)

    def reported(self, report, ours, now):
        """Take the node's own words."""
        known = None if self._queue is None else self._service_time
        self._service_time = average(known, report.service_time, WEIGHT)
        self._queue = average(self._queue, report.in_flight, WEIGHT)

    def view(self):
        """Return the Averages, or None before the first answer."""
        if self._response_time is None:
            return None
        return Averages(self._response_time, self._service_time, self._queue or 0.0)
