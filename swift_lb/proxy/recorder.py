"""Record in the worker's LoadBook how each read goes: success or error, and its chunks' times."""
from math import inf

from swift_lb.concurrency import Timeout
from swift_lb.load.tail_time import WHOLE
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.replicas import key_of
from swift_lb.wire.report import decode

FORGET_EVERY = 60.0     # seconds: a look at all devices of a large host takes milliseconds
FORGET_AFTER = 3600.0   # seconds: a device unread for so long has most probably left the ring


class ReadRecorder:
    """Records reads in the book of one worker, and connect times and errors of all its requests.

    A `read` is a load.Read, which begin() returns; a `node` is a node dict of Swift's.
    """

    def __init__(self, order):
        """`order` is the worker's ReplicaOrder, whose book, clock and metrics are used."""
        self.book, self.clock, self.metrics = order.book, order.clock, order.metrics
        self.fall_back, self._active = order.fall_back, order.active
        self._options_of, self._policy_of = order.options_of, order.policy_of
        self._last_decisions = order.last_decisions
        self._forgot_at = -inf

    @fails_open('begin')
    def begin(self, node, index, size_class=WHOLE):
        """Begin a read from `node` of an object in storage policy `index`; return its Read.

        `size_class` is NO_BODY, CHUNK or WHOLE (load/tail_time.py): how much the read asks for.
        """
        key, now, options = key_of(node), self.clock(), self._options_of(index)
        if self.metrics.emits and not self._policy_of(index).knows(
                key, self._snapshot_with(key, index), now):
            self.metrics.count('unknowns', options.policy, key)
        return self.book.begin(key, now, options.chunk_clock == 'request', size_class)

    def _snapshot_with(self, key, index):
        """Return the last order's Snapshot if it has the Node `key`, else a new one with it."""
        decision = self._last_decisions.get(index)
        if decision is not None and key in decision.best:
            return decision.snapshot
        return self.book.snapshot((key,))

    @fails_open('connected')
    def connected(self, node, read, seconds):
        """Record the time from the connect to `node` until the head of a request was sent.

        `read` is the Read, which has measured this time. A request that is no read has None, and
        its time is `seconds`, by Swift's wall clock. A time below 0 or over an hour, as after a
        clock step, is left out. Does nothing if swift-lb is off for all storage policies.
        """
        if not self._active:
            return
        now = self.clock()
        if read is not None:
            seconds = read.sent(now)
        if 0 <= seconds < FORGET_AFTER:     # so no NaN
            self.book.connected(key_of(node) if read is None else read.node, seconds, now)

    @fails_open('reported')
    def reported(self, read, text):
        """Record the load report `text`, an answer's header; None or a faulty one is ignored."""
        report = decode(text)
        if report is not None:
            read.reported(report, self.clock())

    @fails_open('declined')
    def declined(self, node):
        """Count in a metric that `node` has declined a read, which is neither success nor error."""
        self.metrics.count('declined', key_of(node))

    @fails_open('head')
    def head(self, read):
        """Record that the head of an answer with a body has come."""
        read.head(self.clock())

    @fails_open('wait')
    def wait(self, read):
        """Record that the proxy now waits for the next chunk of `read`."""
        read.wait(self.clock())

    @fails_open('first_byte')
    def first_byte(self, read):
        """Record that the first byte of the answer has come."""
        read.first_byte_came(self.clock())
        if self.metrics.emits:
            self.metrics.timing('first_byte_time', read.first_byte_time, read.node)

    @fails_open('received')
    def received(self, read, size):
        """Record that a chunk of `size` bytes has come."""
        if read.first_byte_time is None:
            self.first_byte(read)
        read.chunk(size, self.clock())

    @fails_open('answered')
    def ended_without_body(self, read):
        """Record as a success a read whose answer has no body to be read, such as one to a HEAD."""
        self.first_byte(read)
        read.complete()

    @fails_open('part_ended')
    def part_ended(self, read, last):
        """Record that a part of the body has come whole; with the `last` one the read succeeds."""
        if last:
            read.complete()
        else:
            read.part_done()

    @fails_open('ended')
    def refused(self, read):
        """Record that the node answered `read` without the object (404): no success, no error."""
        read.refused(self.clock())

    @fails_open('ended')
    def ended(self, read):
        """Record that a read was given up, such as when the client has gone: that is no error."""
        read.close()

    @fails_open('lost')
    def lost(self, read):
        """Record that a read lost a race: another node's answer came first and is used.

        The head of its answer counts as its first byte, so that a node which always loses is known
        to be slow.
        """
        if read.first_byte_time is None:    # an answer without a body has been recorded
            self.first_byte(read)
        read.end()

    @fails_open('blame')
    def blame_read(self, read, timed_out):
        """Count an error, or a timeout if `timed_out`, of a read's node; at most one for a read."""
        if read.fail(timed_out):
            self._count_failure(read.node, timed_out)

    @fails_open('blame')
    def blame_node(self, node, timed_out):
        """Count an error, or a timeout if `timed_out`, of `node` in a request that is no read."""
        if not self._active:
            return
        key = key_of(node)
        self.book.failed(key, timed_out)
        self._count_failure(key, timed_out)

    def _count_failure(self, node, timed_out):
        self.metrics.count('timeouts' if timed_out else 'errors', node)

    @fails_open('flush')
    def flush(self, worker, gauges=True):
        """Send the metrics to StatsD; every FORGET_EVERY seconds forget devices unused for an hour.

        `gauges` is whether gauges are sent in addition to counters; `worker`, the number of a
        worker with a book of its own, labels them. It is None for the host's shared book.
        """
        now = self.clock()
        if now - self._forgot_at >= FORGET_EVERY:
            self.book.forget(now - FORGET_AFTER)
            self._forgot_at = now
        self.metrics.flush()
        if gauges:
            self.metrics.gauge(worker, self.book.snapshot())


class MeasuredPart:
    """Replaces a part of an answer's body, and records every chunk that Swift reads from it.

    Swift reads parts with `read(amt)` only. `size` is the part's bytes, None if the answer has no
    Content-Length; `last` says that no other part follows, so that the read ends with its last
    byte, not when a slow client has received it.
    """

    def __init__(self, part, read, size, last, recorder):
        self._part, self._read, self._left, self._last = part, read, size, last
        self._recorder, self._complete = recorder, False

    def read(self, amt=None):
        """Read up to `amt` bytes; record an exception of the part as error or timeout; raise it."""
        if self._complete:      # Swift reads on until it gets no bytes
            return self._part.read(amt)
        recorder, read = self._recorder, self._read
        recorder.wait(read)
        try:
            if read.first_byte_time is None and self._left != 0:
                self._await_first_byte()
            chunk = self._part.read(amt)
        except Timeout:
            recorder.blame_read(read, True)
            raise
        except Exception:
            recorder.blame_read(read, False)
            raise
        self._account(len(chunk))
        return chunk

    def _await_first_byte(self):
        # A chunk of 64 KiB is complete long after its first byte where the rest comes slowly. Only
        # a whole response has peek(), and an empty one would wait for bytes that never come.
        peek = getattr(self._part, 'peek', None)
        try:
            arrived = peek is not None and peek(1)
        except Exception:
            return  # Swift does not peek: if more than that is wrong, read() will raise, too
        if arrived:
            self._recorder.first_byte(self._read)

    def _account(self, size):
        if size:
            self._recorder.received(self._read, size)
        left = self._left
        if left is not None:
            left = self._left = left - size
            if left > 0:
                if not size:
                    self._recorder.blame_read(self._read, False)  # a short body
                return
        if left == 0 or not size:
            if self._read.first_byte_time is None:
                self._recorder.first_byte(self._read)  # no body: the head was all of it
            self._recorder.part_ended(self._read, self._last)
            self._complete = self._last
