"""One request of a proxy to a device, and what the proxy hears of it, half a round trip later."""


class Attempt:
    """One request to one device. An edge of the network: chunks arrive half a round trip later."""

    __slots__ = ('ahead', 'came_at', 'device', 'first', 'gone', 'heard_at', 'left', 'limit',
                 'lost', 'missing', 'read', 'record', 'size')

    def __init__(self, read, device, record, limit):
        """`read` is the client's it is for, `record` the LoadBook's Read of it.

        A device with more than `limit` requests declines; None: it never does.
        """
        self.limit = limit
        self.read, self.device, self.record = read, device, record
        self.size = self.left = self.missing = read.part
        self.heard_at = read.cluster.agenda.now     # or asked, at first
        self.first = True        # no byte has come yet
        self.gone = False        # nobody waits for it any more
        self.lost = False        # another was first: it is let go of when it answers

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
        """Give up a device that has kept the proxy waiting for node_timeout, or look again.

        For each chunk anew, as Swift's recoverable_node_timeout, which is node_timeout if not set.
        """
        cluster = self.read.cluster
        due = self.heard_at + cluster.scenario.node_timeout
        if due <= cluster.agenda.now:
            self._failed(None)
        elif not self.gone:
            cluster.agenda.at(due, self.look, None)

    def abandon(self):
        """Let go of it; what the device has begun, it does all the same."""
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
