"""One read of one node, from the request to the last byte: one object both begins and ends it."""


class Read:
    """Record the events of one read in its node's record, and end exactly once.

    Its life: begun -> sent -> head -> (wait, chunk)* -> complete | fail | end. Dropping the last
    reference ends it, so that an abandoned read does not stay in flight. Nothing here yields.
    """

    __slots__ = ('_ahead', '_begun_at', '_chunk_at', '_chunk_from', '_ended', '_from_request',
                 '_further', '_further_seconds', '_head_at', '_part_done', '_queued', '_record',
                 '_sent_at', '_size_class', 'answering', 'first_byte_time', 'node')

    def __init__(self, node, record, now, from_request, size_class):
        self.node = node
        self._record = record
        self._begun_at = self._sent_at = self._chunk_from = now
        self._from_request, self._size_class = from_request, size_class
        self._further, self._further_seconds = -1, 0.0      # chunks after the first
        self._part_done = self._queued = False
        self._ended = True           # until it is counted: it may be dropped before
        self._head_at = None         # until the proxy waits for the body
        self.answering = False       # whether the head of a good answer has come
        self.first_byte_time = None  # seconds, once known
        in_flight = record.in_flight
        self._ahead = ahead = in_flight.queued
        for evidence in record.evidence:
            evidence.began(now, ahead)
        if not ahead:
            record.progress_at = now
        self._ended, self._queued = False, True
        in_flight.begin(id(self), now)
        record.frozen = None

    def __del__(self):
        self.end()

    def sent(self, now):
        """Note that the request is on the wire; return the connect time in seconds."""
        self._sent_at = self._chunk_from = now
        return now - self._begun_at

    def head(self, now):
        """Note that the answer's head has come; the proxy does not read its body yet.

        The proxy waits for the heads of other fragments, or for its client: the time until the
        first wait() is not the node's. The read is not queued at the node any more: a server sends
        the head only with the first bytes of the body.
        """
        record = self._record
        self._leave_queue()
        record.in_flight.served(id(self))
        record.frozen, self._head_at = None, now
        self.answering = True

    def wait(self, now):
        """Note that the proxy starts to wait for the next chunk."""
        record = self._record
        record.in_flight.wait(id(self), now)
        record.frozen = None
        if self._head_at is not None:
            idle, self._head_at = now - self._head_at, None
            self._sent_at += idle
            self._chunk_from += idle
        if self.first_byte_time is not None or not self._from_request:
            self._chunk_from = now

    def chunk(self, size, now):
        """Record one chunk of `size` bytes, received whole at the instant `now`."""
        record, seconds = self._record, now - self._chunk_from
        record.in_flight.served(id(self))
        if self.first_byte_time is None:
            self.first_byte_came(now)
        record.chunk_came(size, seconds, now)
        self._further += 1
        if self._further:
            self._further_seconds += seconds
        self._part_done, self._chunk_at, record.frozen = False, now, None

    def first_byte_came(self, now):
        """Record the first byte of the answer (the head, where there is no body)."""
        self._leave_queue()
        record, seconds = self._record, now - self._sent_at
        self.first_byte_time = seconds
        record.note_first_byte(seconds, now)
        record.tail.add(self._size_class, seconds)
        for evidence in record.evidence:
            evidence.answered(seconds, self._ahead, now)
        record.frozen = None

    def _leave_queue(self):
        if self._queued:
            self._queued = False
            self._record.in_flight.leave_queue()

    def reported(self, report, now):
        """Note the DeviceReport of the answer's head, as soon as it has come: it ages fast."""
        record = self._record
        in_flight, reported = record.in_flight, report.in_flight
        ours = in_flight.waiting - in_flight.waits(id(self))
        if reported > self._ahead:
            self._ahead = reported
        for evidence in record.evidence:
            evidence.reported(report, ours, now)
        record.reported(report, now)
        record.frozen = None

    def refused(self, now):
        """End the read after an answer without a body to read: a 404."""
        if not self._ended:
            self._record.progress_at = now
            for evidence in self._record.evidence:
                evidence.refused(now)
            self.end()

    def part_done(self):
        """Note that one range of a multipart answer has come whole; further ranges may follow."""
        self._record.in_flight.served(id(self))
        self._record.frozen = None
        self._part_done = True

    def close(self):
        """End the read because its client stops reading: a success if the last range came whole."""
        if self._part_done:
            self.complete()
        else:
            self.end()

    def complete(self):
        """Count a success of the node, and end the read: every byte has come."""
        if not self._ended:
            self._record.successes += 1
            self.end()

    def fail(self, timed_out):
        """Count a failure and end the read, unless it has ended; return whether it was counted."""
        if self._ended:
            return False
        self._record.timeouts += timed_out
        self._record.errors += not timed_out
        for evidence in self._record.evidence:
            evidence.failed(timed_out)
        self.end()
        return True

    def end(self):
        """End the read without a success or an error: it is no longer in flight."""
        if not self._ended:
            self._ended = True
            record = self._record
            if self._queued:
                self._leave_queue()
            record.in_flight.end(id(self))
            if self._further >= 0:
                for evidence in record.evidence:
                    evidence.streamed(self._further, self._further_seconds, self._chunk_at)
            record.frozen = None
