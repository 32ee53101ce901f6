"""The search for a node that answers a read: when may Swift's loop ask a second one, a hedge?

Swift's own concurrent_gets asks the next node whenever the last one is late. A HedgedRace has at
most two nodes at work: after the delay of load/hedge.py, and if the host has a token for it, the
loop gets a second node. Until then the race makes the loop wait where it asks for the next node.
getters.py has a drawing of it.
"""
from swift_lb.concurrency import Semaphore
from swift_lb.load.hedge import ORDINARY, delay_of, hedge, pause
from swift_lb.load.tail_time import CHUNK, CHUNK_BYTES, NO_BODY, WHOLE
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.replicas import key_of
from swift_lb.wire.report import encode_limit

MAX_RUNNING = 2         # nodes that a HedgedRace has at work


class Race:
    """A search for a node that answers a read, without hedges: as in Swift without swift-lb."""

    hedge = None        # the last MeasuredNode that was asked as a second one
    succeeded = False   # whether a node has answered with a source

    def wait_for_next(self):
        """Block until the loop may ask another node; return False if it is to ask no other."""
        return True

    def started(self, node):
        """Tell the race that Swift's loop now sends a request to the MeasuredNode `node`."""

    def finished(self, node, has_source):
        """Tell the race that `node` has answered with the object (`has_source`), or has failed."""


class HedgedRace(Race):
    """A search that asks one node at a time, and a second one, a hedge, if the first is late."""

    def __init__(self, recorder, size_class, spare):
        """`spare(node)` returns the node dict that may be asked if `node` is late, or None.

        `recorder` is the worker's ReadRecorder, `size_class` the result of size_class_of().
        """
        self.delay = None       # seconds until Swift's loop comes for another node; None: never
        self.unanswered = []    # the MeasuredNodes that are waited for
        self._recorder, self._size_class, self._spare = recorder, size_class, spare
        self._first = None      # the MeasuredNode that may be hedged
        self._asked_at = self._lateness = None      # instant; Delay of the first
        self._limit = None      # what the next node is to be asked with: it is a hedge
        self._retry_after = self._pause = None      # seconds
        self._wake_up = None    # the Semaphore of a loop that waits

    @property
    def fall_back(self):
        """The Guard's method that reports the failure of a component; fails_open calls it."""
        return self._recorder.fall_back

    def wait_for_next(self):
        """Block until the loop may ask another node, since the last one has failed or is late.

        If it is late, a token of the hedge budget has been spent. Returns False after an answer.
        """
        while self.unanswered and not self.succeeded and not self._obtain_hedge():
            self._wake_up = Semaphore(0)    # a new one: an earlier release is no news
            self._wake_up.acquire(timeout=self._retry_after)
            self._wake_up = None
        return not self.succeeded

    def _obtain_hedge(self):
        """Return whether a hedge may be made now; if not, set how long to wait before a retry."""
        self._retry_after, self._pause = self._pause, None
        alone = len(self.unanswered) == 1 and self.unanswered[0] is self._first
        if alone and self._retry_after is None and self.delay is not None:
            self._limit, self._retry_after = self._spend_token() or (None, None)
            if self._limit is None and self._retry_after is None:
                self.delay = None
        return self._limit is not None

    @fails_open('hedge')
    def _spend_token(self):
        """Count a hedge and spend its token; return (its X-Backend-Lb-Limit, None).

        The limit ORDINARY stands for the one that the Decision gives the hedge's node. If no hedge
        may be made now, return (None, seconds to wait); if no node is left, (None, None).
        """
        recorder, second = self._recorder, self._spare(self._first)
        if second is None:
            return None, None
        now = recorder.clock()
        waited = now - self._asked_at
        if waited < self._lateness.late:    # the loop has come because another node has failed
            return None, self._lateness.late - waited
        key = key_of(second)
        limit, seconds = hedge(recorder.book, key_of(self._first), key, now, self._asked_at,
                               self._lateness)
        if limit is None:
            return None, seconds
        recorder.metrics.count('hedges', key)
        return limit if limit == ORDINARY else encode_limit(limit), None

    def started(self, node):
        """Add `node` to `unanswered`; a hedge also gets the limit that _spend_token() returned."""
        self.unanswered.append(node)
        if self._limit is not None:
            if self._limit != ORDINARY:
                node.limit = self._limit
            node.is_hedge, self.hedge, self._limit = True, node, None
        else:
            self._watch(node)

    def _watch(self, node):
        """Make `node` the one that may be hedged, and compute when it is late, counted from now."""
        self._first, self._pause = node, None
        self._asked_at, self._lateness = self._delay_of(node) or (None, None)
        self.delay = self._lateness and self._lateness.late

    @fails_open('hedge')
    def _delay_of(self, node):
        """Return (now, the Delay after which a read of `node` is late), or None without a Delay."""
        second = self._spare(node)
        delay = delay_of(self._recorder.book, key_of(node), second and key_of(second),
                         self._size_class)
        return None if delay is None else (self._recorder.clock(), delay)

    def finished(self, node, has_source):
        """Note that `node` has answered, with the object if `has_source`; wake a loop that waits.

        If a hedge has failed, a pause precedes the next one. If the first node has failed, the
        hedge becomes a read like any other, and may be hedged.
        """
        self.unanswered = [each for each in self.unanswered if each is not node]
        self.succeeded = self.succeeded or bool(has_source)
        if node is self._first and self.unanswered and not self.succeeded:
            self._watch(self.unanswered[0])
        elif node is self.hedge and self.delay is not None:
            self._pause = pause(self._recorder.clock() - self._asked_at, self._lateness)
        if self._wake_up is not None:
            self._wake_up.release()

    @fails_open('hedge')
    def count_win(self, node):
        """Count that `node`, asked as a hedge, has answered before the late node."""
        self._recorder.metrics.count('hedge_wins', key_of(node))


class RaceTimeoutOptions:
    """A storage policy's options, but with a HedgedRace's delay as Swift's concurrency_timeout."""

    def __init__(self, options, delay):
        self._options, self.concurrency_timeout = options, delay

    def __getattr__(self, name):
        return getattr(self._options, name)


def size_class_of(method, ranges):
    """Return the size class of a read: NO_BODY, CHUNK (one chunk of bytes at most) or WHOLE.

    `ranges` are [(first byte, last byte)] of its Range header, with None for an open end.
    """
    if method == 'HEAD':
        return NO_BODY
    if len(ranges) == 1:
        (first, last), = ranges
        size = last if first is None else last - first + 1 if last is not None else CHUNK_BYTES + 1
        return CHUNK if size <= CHUNK_BYTES else WHOLE
    return WHOLE
