"""A request from a proxy to a device; its responses arrive half a round trip later."""


class Attempt:
    """One request to one device."""

    __slots__ = ('ahead', 'came_at', 'device', 'first', 'gone', 'heard_at', 'left', 'limit',
                 'lost', 'missing', 'read', 'record', 'size')

    def __init__(self, read, device, record, limit):
        """Take the client's `read` that it belongs to and its Read in the LoadBook, `record`.

        A device with more than `limit` requests declines; None: it never declines.
        """
        self.limit = limit
        self.read, self.device, self.record = read, device, record
        self.size = self.left = self.missing = read.part
        self.heard_at = read.cluster.agenda.now     # of the last chunk; at first, of the request
        self.first = True        # no byte has arrived yet
        self.gone = False        # the proxy no longer waits for it
        self.lost = False        # another attempt was first: this one is dropped when it answers

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

    def look(self, _nothing):
        """Give up if the device has been silent for node_timeout, else check again later.

        The timeout starts again at each chunk, as Swift's recoverable_node_timeout does, whose
        default is node_timeout.
        """
        cluster = self.read.cluster
        due = self.heard_at + cluster.scenario.node_timeout
        if due <= cluster.agenda.now:
            self._failed(None)
        elif not self.gone:
            cluster.agenda.at(due, self.look, None)

    def abandon(self):
        """Stop waiting for it; the device still serves a chunk that it has started."""
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
            record.answered(now)
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
