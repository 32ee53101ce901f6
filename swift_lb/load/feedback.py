"""Averages of response time, service time and queue, as C3 and as Elasticsearch keep them.

    average <- weight x sample + (1 - weight) x average     the first sample is the first average

    response_time   seconds: first_byte_time, so that the size of an object does not count against
                    its node. C3 takes the time of the whole answer, as its answers are small
    service_time    seconds: DeviceReport.service_time
    queue           requests: DeviceReport.in_flight

For a node that has never reported, service_time is the average of first_byte_time / (ahead + 1)
(load/service_time.py has the reason), and queue is 0, since this host's own requests are counted
apart. The node's first report replaces both.

    C3_WEIGHT = 0.9         of the new sample: ScoreTracker.java (ALPHA) and absim's client.py
    ELASTIC_WEIGHT = 0.3    ResponseCollectorService.ALPHA

Elasticsearch (PulledFeedback) does not average the service time, since its node does so itself, and
uses the average of the queue as a whole number. After each order all nodes but the first take as a
sample the mean of the first node's averages and their own, so that they come ELASTIC_WEIGHT / 2,
15 %, nearer to it: the only way back for a node that is never chosen. Elasticsearch ignores answers
without feedback, and would shuffle nodes that give none.

Source: that of policy/c3.py; lalithsuresh/absim; Elasticsearch, IndexShardRoutingTable.adjustStats.
"""
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

C3_WEIGHT = 0.9
ELASTIC_WEIGHT = 0.3


class Averages(NamedTuple):
    """The moving averages of one node; both times are in seconds, the queue is in requests."""

    response_time: float | None = None
    service_time: float | None = None
    queue: float = 0.0


def average(old, sample, weight):
    """Return the moving average `old` after a `sample` of this `weight`; if None, the `sample`."""
    return sample if old is None else weight * sample + (1.0 - weight) * old


class Feedback(Evidence):
    """Keep the averages of one node that C3 uses: response time, service time and queue."""

    __slots__ = ('_queue', '_reports', '_response_time', '_service_time')
    weight = C3_WEIGHT

    def __init__(self):
        self._response_time = self._service_time = None
        self._queue, self._reports = 0.0, False

    def answered(self, first_byte_time, ahead, now):
        """Add first_byte_time, in seconds, to the average of response times.

        Until the node reports, first_byte_time / (ahead + 1) is a sample of its service time.
        """
        self._response_time = average(self._response_time, first_byte_time, self.weight)
        if not self._reports:
            sample = first_byte_time / (ahead + 1)
            self._service_time = average(self._service_time, sample, self.weight)
            self._queue = 0.0

    def reported(self, report, ours, now):
        """Add a DeviceReport's service_time, and its in_flight as the queue, to the averages."""
        service_time, queue = (self._service_time, self._queue) if self._reports else (None, None)
        self._service_time = average(service_time, report.service_time, self.weight)
        self._queue = average(queue, report.in_flight, self.weight)
        self._reports = True

    def view(self):
        """Return the Averages, or None before the first answer."""
        if self._response_time is None:
            return None
        return Averages(self._response_time, self._service_time, self._queue)


class PulledFeedback(Feedback):
    """Keep the averages of one node as Elasticsearch does, pulled towards those of chosen nodes."""

    __slots__ = ()
    weight = ELASTIC_WEIGHT

    def reported(self, report, ours, now):
        """Keep a DeviceReport's service_time as it is; add its in_flight to the queue's average."""
        super().reported(report, ours, now)
        self._service_time = report.service_time

    @staticmethod
    def ordered(evidence, now):
        """Move the averages of an order's nodes 15 % nearer to those of the first of them.

        `evidence` has each node's PulledFeedback, in the order. So a slow node is tried again.
        Returns True: views may have changed.
        """
        best, *others = (each.view() for each in evidence)
        if best is not None:
            for each, known in zip(evidence[1:], others, strict=True):
                if known is not None:
                    each._pull(best, known)
        return True

    def _pull(self, best, known):
        self._response_time = average(
            self._response_time, (best.response_time + known.response_time) / 2, ELASTIC_WEIGHT)
        self._service_time = average(
            self._service_time, (best.service_time + known.service_time) / 2, ELASTIC_WEIGHT)
        self._queue = average(self._queue, (best.queue + known.queue) // 2, ELASTIC_WEIGHT)

    def view(self):
        """Return the Averages with the queue as a whole number; None before the first answer."""
        if self._response_time is None:
            return None
        return Averages(self._response_time, self._service_time, int(self._queue))
