"""The median first byte time of a node, as Cassandra's dynamic snitch keeps it.

    median   of a Reservoir of first byte times; a timeout counts as TIMED_OUT. Computed anew at
             most every UPDATE seconds, and nothing in between moves it
    wiped    with all nodes' at once, every RESET seconds: that is how a node that is not read comes
             to be read again, and how every bad one gets a share of the reads every time

    UPDATE = 0.1 s, RESET = 600 s   dynamic_snitch_update_interval and _reset_interval of
                                    cassandra.yaml
    TIMED_OUT = 10 s                Cassandra takes its own timeout; this is Swift's node_timeout,
                                    which the book does not know

There two timers do this for all nodes together. Here it is done for the nodes of an order, when one
of them answers and after each order, where anything is due: 1000 devices' medians at once would
hold up the worker for as long as 1000 reads. Both intervals count from the clock's 0, so all nodes'
fall on the same instants.

Source: Cassandra, DynamicEndpointSnitch.java.
"""
from typing import NamedTuple

from swift_lb.load.evidence import Evidence
from swift_lb.load.reservoir import Reservoir

UPDATE = 0.1        # seconds
RESET = 600.0       # seconds
TIMED_OUT = 10.0    # seconds


class Median(NamedTuple):
    """The median in force."""

    seconds: float


class MedianTime(Evidence):
    """Keep the median of one node."""

    __slots__ = ('_changed', '_heard_at', '_median', '_reservoir', '_reset', '_updated')

    def __init__(self):
        self._reservoir, self._median, self._changed = Reservoir(), None, False
        self._updated = self._reset = None      # numbers of the intervals they were last done in
        self._heard_at = 0.0

    def began(self, now, ahead):
        """Take the instant, for a read that will time out."""
        self._heard_at = now

    def answered(self, first_byte_time, ahead, now):
        """Take a first byte time."""
        self._heard_at = now
        self._add(first_byte_time)

    def failed(self, timed_out):
        """Take a timeout for a long time; other errors are not heard of."""
        if timed_out:
            self._add(TIMED_OUT)

    def _add(self, seconds):
        self._wipe(self._heard_at)
        self._reservoir.add(seconds, self._heard_at)
        self._changed = True
        self._update(self._heard_at)

    @staticmethod
    def ordered(evidence, now):
        """Do what is due for each."""
        for each in evidence:
            each._wipe(now)
            each._update(now)
        return True

    def _wipe(self, now):
        number = now // RESET
        if number != self._reset:
            self._changed = self._changed or self._reset is not None
            self._reset, self._reservoir = number, Reservoir()

    def _update(self, now):
        number = now // UPDATE
        if self._changed and number != self._updated:
            self._updated, self._changed = number, False
            self._median = self._reservoir.median()

    def view(self):
        """Return the Median, or None where there is none."""
        return None if self._median is None else Median(self._median)
