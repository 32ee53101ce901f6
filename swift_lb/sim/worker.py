"""A simulated proxy's worker process: its policy, its error limits, its requests to devices."""

NO_LIMITS = {}
ERRORS, ERRORS_LAST = 10, 60.0      # Swift's error_suppression_limit, and _interval, seconds


class ProxyWorker:
    """A simulated worker process of the proxy on `host`; all its workers may share one LoadBook."""

    def __init__(self, cluster, host, book, rng):
        self.cluster, self.host, self.book, self._rng = cluster, host, book, rng
        self._errors = {}     # node -> (number of errors, instant of the last)

    def restart(self, book):
        """Start again with the LoadBook `book`, without the error counts of the old process."""
        self.book, self._errors = book, {}

    def order(self, replicas):
        """Return (the nodes of `replicas` in the order of the policy, {node: limit}).

        A node that already has more requests than its limit declines the read. For a policy
        without limits the dict is empty.
        """
        now, book, policy = self.cluster.agenda.now, self.book, self.cluster.policy
        snapshot = book.snapshot(replicas)
        order = policy.order(replicas, snapshot, now, self._rng)
        book.chosen(order[0], now, order[1:])
        limits = getattr(policy, 'limits', None)
        return order, limits(order, snapshot, now) if limits else NO_LIMITS

    def next_of(self, order):
        """Return the next node of the iterator `order` that is not error-limited, or None."""
        for node in order:
            if not self._limited(node):
                return node
        return None

    def ask(self, read, node, limit):
        """Ask `node` for the object, or one fragment of it, that `read` needs; return the Attempt.

        A node with more than `limit` requests declines; with None it never declines.
        """
        cluster = self.cluster
        now, device = cluster.agenda.now, cluster.devices[node]
        attempt = Attempt(read, device, self.book.begin(node, now), limit)
        cluster.asked(attempt, now)
        device.take(attempt)
        return attempt

    def blame(self, node, status):
        """Count an error of `node` towards Swift's error limit; one `status` 507 exceeds it."""
        number, _last = self._errors.get(node, (0, 0.0))
        number = ERRORS + 1 if status == 507 else number + 1
        self._errors[node] = number, self.cluster.agenda.now

    def _limited(self, node):
        if node not in self._errors:
            return False
        number, last = self._errors[node]
        if last < self.cluster.agenda.now - ERRORS_LAST:
            del self._errors[node]
            return False
        return number > ERRORS


class Attempt:
    """One request to one device for a read; a read may need several requests."""

    __slots__ = ('ahead', 'came_at', 'device', 'first', 'gone', 'heard_at', 'left', 'limit',
                 'lost', 'missing', 'read', 'record', 'size')

    def __init__(self, read, device, record, limit):
        """Take the client's `read`, the device asked, and `record`, this request in the LoadBook.

        A device with more than `limit` requests declines; with None it never declines.
        """
        self.limit = limit
        self.read, self.device, self.record = read, device, record
        self.size = self.left = self.missing = read.part
        self.heard_at = read.cluster.agenda.now     # of the last chunk; at first, of the request
        self.first = True        # no byte has arrived yet
        self.gone = False        # the proxy no longer waits for it
        self.lost = False        # another attempt was first: this one is dropped when it answers

    def deliver(self, size):
        """Send a chunk of `size` bytes from the device to the proxy."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._received, size)

    def refused(self, status):
        """Send the HTTP error `status` from the device to the proxy."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._failed, status)

    def declined(self, _nothing):
        """Tell the proxy that the device declines, because it has more requests than the limit."""
        cluster = self.read.cluster
        cluster.agenda.at(cluster.agenda.now + cluster.round_trip, self._turned_away, None)

    def check_timeout(self, _nothing):
        """Give up if the device has been silent for node_timeout, else check again later.

        The timeout starts again at each chunk, as Swift's recoverable_node_timeout does, whose
        default is node_timeout.
        """
        cluster = self.read.cluster
        due = self.heard_at + cluster.scenario.node_timeout
        if due <= cluster.agenda.now:
            self._failed(None)
        elif not self.gone:
            cluster.agenda.at(due, self.check_timeout, None)

    def abandon(self):
        """Stop waiting for the answer; the device still serves a chunk that it has started."""
        if not self.gone:
            self.gone = True
            self.record.end()

    def _received(self, size):
        if self.gone:
            return
        record, now = self.record, self.read.cluster.agenda.now
        self.heard_at = now
        if self.first:
            self.first = False
            self._hear(self.left > 0)
            record.first_byte_came(now)
            if self.lost:
                self.abandon()
                return
            self.read.head_came(self)
        record.chunk(size, now)
        self.missing -= size
        if self.missing <= 0:
            self.gone = True
            record.complete()
            self.read.attempt_done(self)
        else:
            record.wait(now)

    def _hear(self, own):
        report = self.device.report(own) if self.read.cluster.scenario.reports else None
        if report is not None:
            self.record.reported(report, self.read.cluster.agenda.now)

    def _turned_away(self, _nothing):
        if not self.gone:
            self.gone = True
            self._hear(False)
            self.record.end()
            if not self.lost:
                self.read.turned_away(self)

    def _failed(self, status):
        if not self.gone:
            self.gone = True
            self.record.fail(status is None)
            self.read.worker.blame(self.device.node, status)
            if not self.lost:
                self.read.attempt_failed(self)
