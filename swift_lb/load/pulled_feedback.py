"""Elasticsearch's averages: those of the losers of an order are pulled towards the winner's.

    average <- WEIGHT x sample + (1 - WEIGHT) x average        the first sample as it is

    response_time   seconds, averaged: first_byte_time
    queue           requests, averaged, used as a whole number: DeviceReport.in_flight
    service_time    seconds, as reported: the node averages it itself

After each order every loser takes as a sample the mean of the winner's and its own, so that it
comes WEIGHT / 2, 15 %, nearer to it each time: the only way back for a node that is never chosen.

Elasticsearch does not use an answer without feedback, and would shuffle nodes that give none. Here
such a node is taken at what can be seen from here, as in load/feedback.py: its service time is an
average of first_byte_time / (ahead + 1), its queue 0.

    WEIGHT = 0.3    ResponseCollectorService.ALPHA

Source: Elasticsearch, ResponseCollectorService and IndexShardRoutingTable.adjustStats; pull request
26128.
"""
from swift_lb.load.evidence import Evidence
from swift_lb.load.feedback import Averages, average

WEIGHT = 0.3


class PulledFeedback(Evidence):
    """Keep the averages of one node."""

    __slots__ = ('_queue', '_reports', '_response_time', '_service_time')

    def __init__(self):
        self._response_time = self._service_time = self._queue = None
        self._reports = False

    def answered(self, first_byte_time, ahead, now):
        """Take a response time, and of a node that never reports a service time."""
        self._response_time = average(self._response_time, first_byte_time, WEIGHT)
        if not self._reports:
            self._service_time = average(self._service_time, first_byte_time / (ahead + 1), WEIGHT)
            self._queue = 0

    def reported(self, report, ours, now):
        """Take the node's own words."""
        self._service_time = report.service_time
        self._queue = average(self._queue if self._reports else None, report.in_flight, WEIGHT)
        self._reports = True

    @staticmethod
    def ordered(evidence, now):
        """Pull all others towards the first, where anything is known of both."""
        best, *others = (each.view() for each in evidence)
        if best is not None:
            for each, seen in zip(evidence[1:], others, strict=True):
                if seen is not None:
                    each._pull(best, seen)
        return True

    def _pull(self, best, seen):
        self._response_time = average(
            self._response_time, (best.response_time + seen.response_time) / 2, WEIGHT)
        self._service_time = average(
            self._service_time, (best.service_time + seen.service_time) / 2, WEIGHT)
        self._queue = average(self._queue, (best.queue + seen.queue) // 2, WEIGHT)

    def view(self):
        """Return the Averages, or None before the first answer."""
        if self._response_time is None:
            return None
        return Averages(self._response_time, self._service_time, int(self._queue))
