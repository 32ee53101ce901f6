"""The LoadBook: the one mutable keeper of what is known of every node."""
from types import MappingProxyType

from swift_lb.load.hedge import HedgeBudget
from swift_lb.load.in_flight import InFlight
from swift_lb.load.last_chunk import LastChunk
from swift_lb.load.read import Read
from swift_lb.load.tail_time import WHOLE, TailTime
from swift_lb.model import Connect, NodeLoad, Snapshot

NONE = MappingProxyType({})
HALF = 0x7fffffffffffffff       # so that a turn and one more are words, where those are shared
MAKING = ()  # stands in Record.frozen while freeze() works


class Record:
    """Everything measured of one node; written by Read and LoadBook only."""

    __slots__ = ('choices', 'connect_time', 'errors', 'evidence', 'first_byte_at',
                 'first_byte_time', 'frozen', 'in_flight', 'last_chunk', 'last_turn', 'progress_at',
                 'report', 'reported_at', 'successes', 'tail', 'timeouts', 'touched_at')

    shape = None    # a SharedRecord's, of the words that it copies

    def __init__(self, evidence=()):
        self.in_flight = InFlight()
        self.evidence = evidence
        self.last_chunk = LastChunk()
        self.tail = TailTime()
        self.connect_time = self.first_byte_time = self.first_byte_at = None
        self.report = self.reported_at = None
        self.successes = self.errors = self.timeouts = self.choices = self.last_turn = 0
        self.touched_at = self.progress_at = 0.0    # progress_at: as in load/pace.py
        self.frozen = None  # the NodeLoad of all this; whoever changes anything sets it to None

    def touch(self, now):
        """Note that the node is in use."""
        self.touched_at = now

    def chosen(self, turn, now):
        """Note that the node has been put first, as the book's `turn`."""
        self.touched_at, self.last_turn, self.frozen = now, turn, None
        self.choices += 1

    def connected(self, seconds):
        """Note how long connecting and sending a request's head took."""
        self.connect_time, self.frozen = seconds, None

    def answered(self, seconds, now):
        """Note a first byte, `seconds` after its request was sent."""
        self.first_byte_time, self.first_byte_at, self.progress_at = seconds, now, now

    def reported(self, report, now):
        """Note the node's last DeviceReport."""
        self.report, self.reported_at = report, now

    def freeze(self):
        """Return the NodeLoad, and keep it; most nodes are looked at more often than they change.

        A garbage collection in here may end a read, which sets `frozen` to None: what was made
        before that is not kept.
        """
        self.frozen, chunk = MAKING, self.last_chunk
        made = NodeLoad(
            *self.in_flight.view(), self.connect_time, self.first_byte_time, self.first_byte_at,
            chunk.throughput, chunk.at, chunk.count,
            self.successes, self.errors, self.timeouts, self.choices, self.last_turn,
            self.in_flight.queued, self.in_flight.waiting,
            {type(each): each.view() for each in self.evidence} if self.evidence else NONE,
            self.report, self.reported_at)
        if self.frozen is MAKING:
            self.frozen = made
        return made

    def fit(self, shape):
        """Do nothing, where a SharedRecord has words."""

    def copy(self):
        """Return the NodeLoad, where a SharedRecord returns bytes."""
        return self.frozen or self.freeze()


class LoadBook:
    """Record what each read shows of its node, and give frozen views of it.

    Nothing here yields, so greenthreads need no lock; `now` never decreases.
    """

    def __init__(self, kinds=()):
        """`kinds` are the classes of Evidence that policies want kept of each node."""
        self._kinds = kinds = tuple(kinds)
        self._common = {kind: kind.common() for kind in kinds if kind.common}
        self._told = [(place, kind.ordered) for place, kind in enumerate(kinds)
                      if kind.ordered]      # of each order
        self._records = {}
        self._connects = {}  # ip -> Connect
        self._turns = [0]       # of which the last was this
        self.hedges = HedgeBudget()

    def begin(self, node, now, from_request=True, size_class=WHOLE):
        """Begin a read of `node` and return its Read, which ends itself when it is dropped.

        `from_request` says where the clock of the first chunk starts: when the request is sent
        (which sees the disk), or when the proxy starts to read the chunk (which for small objects
        sees the socket buffer). `size_class` is one of load/tail_time.py.
        """
        record = self._records.get(node)
        if record is None:
            record = self._meet(node)
        self.hedges.earn()
        record.touch(now)       # before what is only credible as long as this is not old
        read = Read(node, record, now, from_request, size_class)
        record.touch(now)       # last: who forgets it meanwhile finds the read, or this
        return read

    def _meet(self, node):
        record = self._records[node] = Record(tuple(self._new(kind) for kind in self._kinds))
        return record

    def _new(self, kind):
        return kind(self._common[kind]) if kind in self._common else kind()

    def connected(self, node, seconds, now):
        """Record that connecting to `node` and sending the request's head took `seconds`.

        Kept per node for those that are read, and per ip for all, which is what Swift's `timing`
        keeps. Negative or absurd values, a stepping wall clock's, are the caller's to leave out.
        """
        self._connects[node.ip] = Connect(seconds, now)
        record = self._records.get(node)
        if record is not None:
            record.connected(seconds)

    def failed(self, node, timed_out):
        """Count a failure of `node` outside a read (a write refused, say), if it is known."""
        record = self._records.get(node)
        if record is not None:
            record.timeouts += timed_out
            record.errors += not timed_out
            record.frozen = None

    def chosen(self, node, now, others=()):
        """Record that `node` has been put first, before `others`.

        Its turn makes round robin possible.
        """
        record = self._records.get(node)
        if record is None:
            record = self._meet(node)
        self._turns[0] = turn = self._turns[0] + 1 & HALF
        record.chosen(turn, now)
        for evidence in record.evidence:
            evidence.put_first(now)
        if self._told:
            self._tell(record, others, now)

    def _tell(self, first, others, now):
        records = [first]
        for node in others:
            if node in self._records:
                records.append(self._records[node])
        for place, ordered in self._told:
            if ordered([record.evidence[place] for record in records], now):
                for record in records:
                    record.frozen = None

    def tail_time(self, node, size_class):
        """Return the p95 of first_byte_time of `node`, seconds, None where nothing is known."""
        record = self._records.get(node)
        return None if record is None else record.tail.seconds(size_class)

    def in_flight(self, node):
        """Return how many reads of `node` have begun and have not ended."""
        record = self._records.get(node)
        return 0 if record is None else record.in_flight.view()[0]

    def queued(self, node):
        """Return how many reads of `node` have been sent and nothing of their answers has come."""
        record = self._records.get(node)
        return 0 if record is None else record.in_flight.queued

    def silence(self, node, now):
        """Return for how many seconds `node` has owed first bytes to this host and given none."""
        record = self._records.get(node)
        if record is None or not record.in_flight.queued or not record.progress_at:
            return 0.0
        return now - record.progress_at

    def snapshot(self, nodes=None):
        """Return a Snapshot of `nodes`, or of every node met."""
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
        """Drop the nodes not chosen or read since the instant `before`, with no read in flight.

        Devices leave the ring, and a book of devices that are gone would grow for ever.
        """
        for node, record in list(self._records.items()):
            touched_at = max(record.touched_at, record.last_chunk.at or record.touched_at)
            if touched_at < before and not record.in_flight.view()[0]:
                self._drop(node, record)
        for ip, connect in list(self._connects.items()):
            if connect.at < before:
                del self._connects[ip]

    def _drop(self, node, _record):
        del self._records[node]
