"""A client's read of an object, and its attempts at one device after another.

The order of devices and the timeouts follow Swift's GET path: controllers/base.py,
GetOrHeadHandler, and controllers/obj.py, ECObjectController, of Swift 2.38. Hedging follows
load/hedge.py.
"""
from swift_lb.load.hedge import ORDINARY, delay_of, hedge, pause
from swift_lb.load.tail_time import WHOLE


class ReplicaRead:
    """A client's read of a replicated object: one attempt after another until one succeeds.

    With hedging there may be two attempts at once, of which the first answer is used. While two
    are in progress no third one starts.
    """

    __slots__ = ('_declined', '_following', '_late', '_may_hedge', '_under_way', 'began_at',
                 'cluster', 'ended', 'limits', 'name', 'order', 'part', 'size', 'worker')

    def __init__(self, worker, name, replicas, size, ended):
        """Start to read the object `name` of `size` bytes; at its end call `ended(read, success)`.
        """
        self.worker, self.cluster, self.name, self.ended = worker, worker.cluster, name, ended
        self.size = self.part = size
        self.began_at = self.cluster.agenda.now
        order, self.limits = worker.order(replicas)
        self.order, self._declined = iter(order), ()
        self._following = None      # the next node, once it is known
        self._under_way, self._may_hedge = [], self.cluster.hedged
        self._late = None           # (the Attempt that may be hedged, when it was made, its Delay)
        self._attempt()

    def _attempt(self):
        node, self._following = self._next(), None
        if node is not None:
            self._ask(node, self.limits.get(node))
        elif self._declined:   # all are busy: ask the best, which may not decline
            node, *self._declined = self._declined
            self._ask(node, None)
        else:
            self.ended(self, False)

    def _next(self):
        if self._following is None:
            self._following = self.worker.next_of(self.order)
        return self._following

    def _ask(self, node, limit):
        attempt = self.worker.ask(self, node, limit)
        self._under_way.append(attempt)
        if self._may_hedge and len(self._under_way) == 1:
            self._watch(attempt)

    def _watch(self, attempt):
        """Schedule a hedge, a second attempt, for the moment at which `attempt` is late."""
        second = self._next() or next(iter(self._declined), None)
        delay = delay_of(self.worker.book, attempt.device.node, second, WHOLE)
        self._late = delay and (attempt, self.cluster.agenda.now, delay)
        if self._late:
            self._check_later(delay.late)

    def _check_later(self, seconds):
        self.cluster.agenda.at(self.cluster.agenda.now + seconds, self._overdue, self._late)

    def _overdue(self, late):
        attempt, asked_at, delay = late
        if attempt.gone or not attempt.first or len(self._under_way) > 1:
            return
        node = self._next() or next(iter(self._declined), None)
        if node is None:
            return
        limit, seconds = hedge(self.worker.book, attempt.device.node, node,
                               self.cluster.agenda.now, asked_at, delay)
        if limit is None:
            self._check_later(seconds)
        else:
            self._hedge(node, limit)

    def _hedge(self, node, limit):
        """Send a hedge to `node`: the next of the order or, at its end, the first that declined.

        A node with more than `limit` requests declines. If `limit` is ORDINARY, the node has the
        limit, or none, that it has in the worker's order.
        """
        own = None
        if self._following is None:
            self._declined = self._declined[1:]
        else:
            own, self._following = self.limits.get(node), None
        self._ask(node, own if limit == ORDINARY else limit)

    def head_came(self, attempt):
        """Use `attempt`, the first to answer; of a slower attempt only the time is recorded."""
        for other in self._under_way:
            other.lost = other is not attempt
        self._under_way.clear()
        self._may_hedge = False     # not even after it breaks off

    def turned_away(self, attempt):
        """Ask the next node; the node that declined `attempt` is asked again if all decline."""
        self._declined = [*self._declined, attempt.device.node]
        self.attempt_failed(attempt)

    def attempt_done(self, _attempt):
        """End the read: all bytes have arrived."""
        self.ended(self, True)

    def attempt_failed(self, attempt):
        """Ask the next node for the missing bytes, unless another attempt is in progress."""
        if attempt in self._under_way:
            self._under_way.remove(attempt)
        else:       # it broke off: the node that continues may not decline
            self.part, self.limits = attempt.missing, {}
        if not self._under_way:
            self._attempt()
        elif self._late and self._under_way[0] is self._late[0]:    # the hedge has failed
            _first, asked_at, delay = self._late
            self._check_later(pause(self.cluster.agenda.now - asked_at, delay))
        elif self._may_hedge:   # the first has failed: its hedge becomes an ordinary attempt
            self._watch(self._under_way[0])


class FragmentRead:
    """A client's read of an erasure-coded object: `k` fragments at once, each of size / k bytes."""

    __slots__ = ('began_at', 'cluster', 'ended', 'missing', 'name', 'order', 'part', 'size',
                 'under_way', 'worker')

    def __init__(self, worker, name, replicas, size, ended):
        """Start the read, with the arguments of ReplicaRead; it ends with the slowest fragment."""
        self.worker, self.cluster, self.name, self.ended = worker, worker.cluster, name, ended
        self.missing = self.cluster.scenario.fragments[0]
        self.size, self.part = size, max(1, size // self.missing)
        self.began_at = self.cluster.agenda.now
        self.order = iter(worker.order(replicas)[0])
        self.under_way = set()
        for _fragment in range(self.missing):
            self._attempt()

    def _attempt(self):
        node = self.ended and self.worker.next_of(self.order)
        if node is not None:
            self.under_way.add(self.worker.ask(self, node, None))
        elif self.ended and len(self.under_way) < self.missing:
            self._end(False)

    def head_came(self, attempt):
        """Do nothing: all k fragments are needed, in any order."""

    def attempt_done(self, attempt):
        """Count one complete fragment."""
        self.under_way.discard(attempt)
        self.missing -= 1
        if not self.missing:
            self._end(True)

    def attempt_failed(self, attempt):
        """Ask the next node for a fragment, or for the bytes that this attempt did not deliver."""
        self.under_way.discard(attempt)
        self.part = attempt.missing
        self._attempt()

    def _end(self, success):
        ended, self.ended = self.ended, None
        for attempt in self.under_way:
            attempt.abandon()
        ended(self, success)
