"""The search for the source of one read: which nodes Swift's loop may ask while one is late.

Swift's own concurrent_gets asks the next node whenever the last one is late. A HedgedRace has at
most two nodes at work: after the delay of load/hedge.py, and if the host can afford it, the loop
gets a second one. Until then the race makes the loop wait where it asks for the next node.
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
    """A search in which Swift's loop asks nodes as it would without swift-lb."""

    hedge = None        # the last MeasuredNode that was asked as a second one
    succeeded = False   # whether a node has answered with a source

    def wait_for_next(self):
        """Block until the loop may ask another node; return False if it is to ask no other."""
        return True

    def started(self, node):
        """Note that Swift's loop has taken a MeasuredNode and sends it a request now."""

    def finished(self, node, has_source):
        """Note that a MeasuredNode has answered or failed; `has_source`: Swift can read from it."""


class HedgedRace(Race):
    """A search that asks one node at a time, and a second one while the first is late."""

    def __init__(self, recorder, size_class, spare):
        """`spare(node)` returns the node dict that a read of `node` may be hedged with, or None.

        `recorder` is the ReadRecorder.
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
        """Count and log the failure of a component: fails_open calls this."""
        return self._recorder.fall_back

    def wait_for_next(self):
        """Block until the loop may ask another node: the last has failed, or may be hedged.

        For a hedge a token of the budget has then been spent.
        """
        while self.unanswered and not self.succeeded and not self._obtain_hedge():
            self._wake_up = Semaphore(0)    # a new one: an earlier release is no news
            self._wake_up.acquire(timeout=self._retry_after)
            self._wake_up = None
        return not self.succeeded

    def _obtain_hedge(self):
        """Return whether the next node may be asked as a hedge now; else set the time to retry."""
        self._retry_after, self._pause = self._pause, None
        alone = len(self.unanswered) == 1 and self.unanswered[0] is self._first
        if alone and self._retry_after is None and self.delay is not None:
            self._limit, self._retry_after = self._spend_token() or (None, None)
            if self._limit is None and self._retry_after is None:
                self.delay = None
        return self._limit is not None

    @fails_open('hedge')
    def _spend_token(self):
        """Return (X-Backend-Lb-Limit, None) of a hedge, which is then counted and paid for.

        ORDINARY in place of the limit means the limit of the order. Where no hedge may be made
        now, returns (None, seconds to wait), and (None, None) where no node is left for one.
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
        """Add a MeasuredNode to the unanswered; a hedge gets the limit that it was allowed with."""
        self.unanswered.append(node)
        if self._limit is not None:
            if self._limit != ORDINARY:
                node.limit = self._limit
            node.is_hedge, self.hedge, self._limit = True, node, None
        else:
            self._watch(node)

    def _watch(self, node):
        """Let `node` be hedged when it is late, counted from now."""
        self._first, self._pause = node, None
        self._asked_at, self._lateness = self._delay_of(node) or (None, None)
        self.delay = self._lateness and self._lateness.late

    @fails_open('hedge')
    def _delay_of(self, node):
        """Return (now, the Delay of a read of `node`), None where no delay is known."""
        second = self._spare(node)
        delay = delay_of(self._recorder.book, key_of(node), second and key_of(second),
                         self._size_class)
        return None if delay is None else (self._recorder.clock(), delay)

    def finished(self, node, has_source):
        """Wake the loop if it waits; after a hedge that failed there is a pause before the next.

        A hedge whose first node has failed is a read like any other, and may be hedged.
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
        """Count that `node`, a hedge, has answered first."""
        self._recorder.metrics.count('hedge_wins', key_of(node))


class RaceTimeoutOptions:
    """A storage policy's options, with the race's delay as Swift's concurrency_timeout."""

    def __init__(self, options, delay):
        self._options, self.concurrency_timeout = options, delay

    def __getattr__(self, name):
        return getattr(self._options, name)


def size_class_of(method, ranges):
    """Return the size class of a read; `ranges` are [(first byte, last byte)], None for no end."""
    if method == 'HEAD':
        return NO_BODY
    if len(ranges) == 1:
        (first, last), = ranges
        size = last if first is None else last - first + 1 if last is not None else CHUNK_BYTES + 1
        return CHUNK if size <= CHUNK_BYTES else WHOLE
    return WHOLE
