"""The search for the source of one read: which nodes Swift's loop may ask while one is late.

Swift's own concurrent_gets goes to the next node whenever the last is late. A HedgedRace has at
most two nodes at work: after the delay of load/hedge.py, and if the host can afford it, the loop
gets a second one. Until then the race makes the loop wait where it asks for the next node.
"""
from swift_lb.concurrency import Semaphore
from swift_lb.load.hedge import ORDINARY, pause
from swift_lb.load.tail_time import CHUNK, CHUNK_BYTES, NO_BODY, WHOLE

HEDGED = 2          # nodes at once


class Race:
    """A search that Swift's loop makes as it would."""

    hedge = None        # the last node that was asked as a second one
    found = False       # whether one has what is looked for

    def is_over(self):
        """Return, when the loop comes for another node, whether it is to ask no other."""
        return False

    def asked(self, node):
        """Note that a MeasuredNode is given to the loop, which asks it."""

    def settled(self, node, found):
        """Note that a MeasuredNode has answered: with what was looked for?"""


class HedgedRace(Race):
    """A search that asks one node at a time, and while that is late a second one."""

    def __init__(self, replicas, size_class, spare):
        """`spare(node)` is the node dict that a read of `node` would be hedged with, or None.

        `replicas` is the ReplicaOrder.
        """
        self.delay = None       # seconds until Swift's loop comes for another node; None: never
        self.unanswered = []    # the MeasuredNodes that are waited for
        self._replicas, self._size_class, self._spare = replicas, size_class, spare
        self._first = None      # the MeasuredNode that may be hedged
        self._asked_at = self._late = None      # instant; its Delay
        self._limit = self._again = self._pause = None
        self._bell = None       # of a loop that has had to wait

    def is_over(self):
        """Wait until another node may be asked, or one has what is looked for."""
        while self.unanswered and not self.found and not self._may_hedge():
            self._bell = Semaphore(0)   # a new one: what rang before is no news
            self._bell.acquire(timeout=self._again)
            self._bell = None
        return self.found

    def _may_hedge(self):
        self._again, self._pause = self._pause, None
        alone = len(self.unanswered) == 1 and self.unanswered[0] is self._first
        if alone and self._again is None and self.delay is not None:
            self._limit, self._again = self._replicas.hedge(
                self._spare, self._first, self._asked_at, self._late) or (None, None)
            if self._limit is None and self._again is None:
                self.delay = None
        return self._limit is not None

    def asked(self, node):
        """Count a MeasuredNode as unanswered; a hedge has the limit that it was allowed with."""
        self.unanswered.append(node)
        if self._limit is not None:
            if self._limit != ORDINARY:
                node.limit = self._limit
            node.is_hedge, self.hedge, self._limit = True, node, None
        else:
            self._watch(node)

    def _watch(self, node):
        """Let `node` be hedged, once it is late from now on."""
        known = self._replicas.hedge_delay(self._spare, node, self._size_class)
        self._first, (self._asked_at, self._late) = node, known or (None, None)
        self.delay, self._pause = self._late and self._late.late, None

    def settled(self, node, found):
        """Wake the loop, if it waits; after a hedge that came to nothing there is a pause.

        A hedge whose first node has failed is a read like any other, and may be hedged.
        """
        self.unanswered = [each for each in self.unanswered if each is not node]
        self.found = self.found or bool(found)
        if node is self._first and self.unanswered and not self.found:
            self._watch(self.unanswered[0])
        elif node is self.hedge and self.delay is not None:
            self._pause = pause(self._replicas.clock() - self._asked_at, self._late)
        if self._bell is not None:
            self._bell.release()


class Hurried:
    """The options of a storage policy, as Swift's loop is to see them: it waits for `delay`."""

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
        size = last if first is None else last - first + 1 if last is not None else (
            CHUNK_BYTES + 1)
        return CHUNK if size <= CHUNK_BYTES else WHOLE
    return WHOLE
