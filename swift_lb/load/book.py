"""The LoadBook: the one mutable keeper of what is known of every node.

Two metrics are those of the LB-RLT paper (policy/lb_rlt.py), section 2 and Algorithm 2, lines 9-11:

    Throughput = dataChunkSize / dataChunkTransferTime                          (Equation 1)

    dataChunkSize          bytes of the chunk just read; the paper's size is fixed, but a short last
                           chunk counted as a full one would give a rate that was not measured
    dataChunkTransferTime  seconds, from the start of the chunk's clock to its last byte
    totalReadDataChunks    chunks "received with success ... until present moment"
"""
from types import MappingProxyType

from swift_lb.load.hedge import HedgeBudget
from swift_lb.load.in_flight import InFlight
from swift_lb.load.read import Read
from swift_lb.load.tail_time import WHOLE, TailTime
from swift_lb.model import Connect, NodeLoad, Snapshot

NONE = MappingProxyType({})
MAX_TURN = 0x7fffffffffffffff   # a turn and one more fit a word of shared memory
MAKING = ()     # the value of Record.frozen during freeze()
SHORTEST = 1e-6     # seconds: a chunk in the socket buffer may take less than a clock's tick


class Record:
    """All measures of one node; only Read and LoadBook write them."""

    __slots__ = ('choices', 'chunks', 'connect_time', 'errors', 'evidence', 'first_byte_at',
                 'first_byte_time', 'frozen', 'in_flight', 'last_chunk_at', 'last_throughput',
                 'last_turn', 'progress_at', 'report', 'reported_at', 'successes', 'tail',
                 'timeouts', 'touched_at')

    shape = None    # a SharedRecord has the table.Shape of its words here

    def __init__(self, evidence=()):
        self.in_flight = InFlight()
        self.evidence = evidence
        self.tail = TailTime()
        self.connect_time = self.first_byte_time = self.first_byte_at = None
        self.last_throughput = self.last_chunk_at = self.report = self.reported_at = None
        self.chunks = self.successes = self.errors = self.timeouts = 0
        self.choices = self.last_turn = 0
        self.touched_at = self.progress_at = 0.0    # progress_at: as in load/pace.py
        self.frozen = None  # the NodeLoad of all this; each change sets it to None

    def touch(self, now):
        """Note that the node is in use at the instant `now`."""
        self.touched_at = now

    def chosen(self, turn, now):
        """Note that an order has put the node first; `turn` is the order's number in the book."""
        self.touched_at, self.last_turn, self.frozen = now, turn, None
        self.choices += 1

    def connected(self, seconds):
        """Keep how many `seconds` it took to connect and to send a request's head."""
        self.connect_time, self.frozen = seconds, None

    def note_first_byte(self, seconds, now):
        """Note a first byte, `seconds` after its request was sent."""
        self.first_byte_time, self.first_byte_at, self.progress_at = seconds, now, now

    def chunk_came(self, size, seconds, now):
        """Note a chunk of `size` bytes that took `seconds` and ended at the instant `now`."""
        self.last_throughput, self.last_chunk_at = size / max(seconds, SHORTEST), now
        self.chunks += 1

    def reported(self, report, now):
        """Keep the node's last DeviceReport and the instant at which it came."""
        self.report, self.reported_at = report, now

    def freeze(self):
        """Return the NodeLoad of the present measures, and keep it until one changes.

        Most nodes are asked for it more often than they change. A garbage collection during this
        method may end a read, which sets `frozen` to None: then the NodeLoad is not kept.
        """
        self.frozen = MAKING
        load = NodeLoad(
            *self.in_flight.view(), self.connect_time, self.first_byte_time, self.first_byte_at,
            self.last_throughput, self.last_chunk_at, self.chunks, self.successes, self.errors,
            self.timeouts, self.choices, self.last_turn, self.in_flight.queued,
            self.in_flight.waiting,
            {type(each): each.view() for each in self.evidence} if self.evidence else NONE,
            self.report, self.reported_at)
        if self.frozen is MAKING:
            self.frozen = load
        return load

    def fit(self, shape):
        """Do nothing; in shared memory, a table.Shape says which workers' words a record has."""

    def copy(self):
        """Return the NodeLoad of this record; SharedRecord.copy() may return its bytes instead."""
        return self.frozen or self.freeze()


class LoadBook:
    """Record the measures of each read for its node, and return frozen Snapshots of them.

    No method yields to other greenthreads, so that no lock is needed; `now` never decreases.
    """

    def __init__(self, kinds=()):
        """`kinds` are subclasses of Evidence: the book keeps one object of each for each node."""
        self._kinds = kinds = tuple(kinds)
        self._common = {kind: kind.common() for kind in kinds if kind.common}
        self._order_hooks = [(place, kind.ordered) for place, kind in enumerate(kinds)
                             if kind.ordered]
        self._records = {}
        self._connects = {}  # ip -> Connect
        self._turns = [0]       # the number of the last turn; a list, since SharedBook shares it
        self.hedges = HedgeBudget()

    def begin(self, node, now, from_request=True, size_class=WHOLE):
        """Begin a read of `node` and return its Read, which ends itself when it is dropped.

        The clock of the first chunk starts when the request is sent if `from_request`, which
        measures the disk, else when the proxy starts to read the chunk, which for small objects
        measures the socket buffer. `size_class` is one of the CLASSES of load/tail_time.py.
        """
        record = self._records.get(node)
        if record is None:
            record = self._meet(node)
        self.hedges.earn()
        record.touch(now)       # before the instants that are implausible if later than this
        read = Read(node, record, now, from_request, size_class)
        record.touch(now)       # again: another process may have forgotten the node meanwhile
        return read

    def _meet(self, node):
        record = self._records[node] = Record(tuple(self._new(kind) for kind in self._kinds))
        return record

    def _new(self, kind):
        return kind(self._common[kind]) if kind in self._common else kind()

    def connected(self, node, seconds, now):
        """Record that connecting to `node` and sending the request's head took `seconds`.

        The time is kept per node for nodes that are read, and per ip for all, as Swift's `timing`
        does. The caller leaves out negative or absurd values of a stepping wall clock.
        """
        self._connects[node.ip] = Connect(seconds, now)
        record = self._records.get(node)
        if record is not None:
            record.connected(seconds)

    def failed(self, node, timed_out):
        """Count a failure of `node` outside of reads, as of a write: as a timeout or as an error.

        A node that the book has not met is ignored.
        """
        record = self._records.get(node)
        if record is not None:
            record.timeouts += timed_out
            record.errors += not timed_out
            record.frozen = None

    def chosen(self, node, now, others=()):
        """Record that an order has put `node` first, and after it `others`, a sequence of Nodes.

        Orders are numbered; the number of this one becomes the node's `last_turn`.
        """
        record = self._records.get(node)
        if record is None:
            record = self._meet(node)
        self._turns[0] = turn = self._turns[0] + 1 & MAX_TURN
        record.chosen(turn, now)
        for evidence in record.evidence:
            evidence.put_first(now)
        if self._order_hooks:
            self._call_order_hooks(record, others, now)

    def _call_order_hooks(self, first, others, now):
        records = [first]
        for node in others:
            if node in self._records:
                records.append(self._records[node])
        for place, ordered in self._order_hooks:
            if ordered([record.evidence[place] for record in records], now):
                for record in records:
                    record.frozen = None

    def tail_time(self, node, size_class):
        """Return the p95 of the first byte times of `node` in seconds, None if it is not known.

        Only reads of `size_class` count: HEADs, short ranges or other GETs (load/tail_time.py).
        """
        record = self._records.get(node)
        return None if record is None else record.tail.seconds(size_class)

    def in_flight(self, node):
        """Return the number of reads of `node` that have begun and not ended."""
        record = self._records.get(node)
        return 0 if record is None else record.in_flight.view()[0]

    def queued(self, node):
        """Return the number of reads of `node` that were sent and have no first byte."""
        record = self._records.get(node)
        return 0 if record is None else record.in_flight.queued

    def silence(self, node, now):
        """Return the seconds for which `node` has sent no first byte, though reads wait for one.

        Only reads of this host count; it is 0 if none waits for its first byte.
        """
        record = self._records.get(node)
        if record is None or not record.in_flight.queued or not record.progress_at:
            return 0.0
        return now - record.progress_at

    def snapshot(self, nodes=None):
        """Return a Snapshot of those of `nodes` that the book has met; if None, of all it met."""
        loads, connects = {}, {}
        for node in self._records if nodes is None else nodes:
            record = self._records.get(node)
            if record is not None:
                loads[node] = record.frozen or record.freeze()
            connect = self._connects.get(node.ip)
            if connect is not None:
                connects[node.ip] = connect
        common = {} if self._common else NONE
        for kind in self._common:
            common[kind] = self._common[kind].view()
        return Snapshot(loads, connects, len(self._records), common)

    def forget(self, before):
        """Drop nodes without a read in flight, last chosen or read before the instant `before`.

        Devices leave the ring, and a book that kept them would grow for ever.
        """
        for node, record in list(self._records.items()):
            touched_at = max(record.touched_at, record.last_chunk_at or 0.0)
            if touched_at < before and not record.in_flight.view()[0]:
                self._drop(node, record)
        for ip, connect in list(self._connects.items()):
            if connect.at < before:
                del self._connects[ip]

    def _drop(self, node, _record):
        del self._records[node]
