"""A client's read of an object, and the attempts to have it from one device after another.

Who is asked next, and when a device has kept the proxy waiting for too long, is Swift's GET path:
controllers/base.py, GetOrHeadHandler, and controllers/obj.py, ECObjectController, of 2.38.
"""


class Attempt:
    """One request to one device. An edge of the network: chunks arrive half a round trip later."""

    __slots__ = ('ahead', 'came_at', 'device', 'first', 'gone', 'left', 'limit',
                 'missing', 'read', 'record', 'size')

    def __init__(self, read, device, record, limit):
        """`read` is the client's it is for, `record` the LoadBook's Read of it.

        A device with more than `limit` requests declines; None: it never does.
        """
        self.limit = limit
        self.read, self.device, self.record = read, device, record
        self.size = self.left = self.missing = read.part
        self.first = True        # no byte has come yet
        self.gone = False        # nobody waits for it any more

    def deliver(self, size):
        """Send a chunk of `size` bytes to the proxy."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._received, size)

    def refused(self, status):
        """Send an error to the proxy."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._failed, status)

    def declined(self, _nothing):
        """Tell the proxy that the device has more requests than the limit."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._turned_away, None)

    def timed_out(self):
        """Account for a device that has kept the proxy waiting for node_timeout."""
        if self.first:
            self._failed(None)

    def abandon(self):
        """Let go of it; what the device has begun, it does all the same."""
        if not self.gone:
            self.gone = True
            self.record.end()

    def _received(self, size):
        if self.gone:
            return
        record, now = self.record, self.read.cluster.agenda.now
        if self.first:
            self.first = False
            self._hear()
            record.answered(now)
        record.chunk(size, now)
        self.missing -= size
        if self.missing <= 0:
            self.gone = True
            record.complete()
            self.read.attempt_done(self)
        else:
            record.wait(now)

    def _hear(self):
        report = self.device.report() if self.read.cluster.scenario.reports else None
        if report is not None:
            self.record.reported(report, self.read.cluster.agenda.now)

    def _turned_away(self, _nothing):
        if not self.gone:
            self.gone = True
            self._hear()
            self.record.end()
            self.read.turned_away(self)

    def _failed(self, status):
        if not self.gone:
            self.gone = True
            self.record.fail(status is None)
            self.read.worker.blame(self.device.node, status)
            self.read.attempt_failed(self)


class ReplicaRead:
    """A read of a replicated object: one attempt after another until one succeeds."""

    __slots__ = ('_declined', 'began_at', 'cluster', 'ended', 'limits', 'name', 'order', 'part',
                 'size', 'worker')

    def __init__(self, worker, name, replicas, size, ended):
        """Begin to read the object `name` of `size` bytes; at its end `ended(read, success)`."""
        self.worker, self.cluster, self.name, self.ended = worker, worker.cluster, name, ended
        self.size = self.part = size
        self.began_at = self.cluster.agenda.now
        order, self.limits = worker.order(replicas)
        self.order, self._declined = iter(order), []
        self._attempt()

    def _attempt(self):
        node = self.worker.next_of(self.order)
        if node is not None:
            self.worker.ask(self, node, self.limits.get(node))
        elif self._declined:   # all are busy: then the best is asked, and may not decline
            self.worker.ask(self, self._declined.pop(0), None)
        else:
            self.ended(self, False)

    def turned_away(self, attempt):
        """Ask the next, and come back if it comes to the worst."""
        self._declined.append(attempt.device.node)
        self._attempt()

    def attempt_done(self, _attempt):
        """Every byte is there."""
        self.ended(self, True)

    def attempt_failed(self, _attempt):
        """Ask the next."""
        self._attempt()


class FragmentRead:
    """A read of an erasure-coded object: `k` fragments at once, each of size / k bytes."""

    __slots__ = ('began_at', 'cluster', 'ended', 'missing', 'name', 'order', 'part', 'size',
                 'under_way', 'worker')

    def __init__(self, worker, name, replicas, size, ended):
        """As ReplicaRead; it ends with the slowest of k."""
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

    def attempt_done(self, attempt):
        """One fragment is there."""
        self.under_way.discard(attempt)
        self.missing -= 1
        if not self.missing:
            self._end(True)

    def attempt_failed(self, attempt):
        """Ask for another fragment."""
        self.under_way.discard(attempt)
        self._attempt()

    def _end(self, success):
        ended, self.ended = self.ended, None
        for attempt in self.under_way:
            attempt.abandon()
        ended(self, success)
