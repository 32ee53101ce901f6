"""A LoadBook whose records are in a Table that all processes of a host have in their memory.

Its Snapshots copy the words of records, and decode them on demand: decoding all words of a record
takes several times as long as copying them, and an order by `adaptive` uses less than half of them.
"""
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from swift_lb.load import table
from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import HedgeBudget
from swift_lb.load.in_flight import ROW
from swift_lb.load.pace import FleetPace, Pace
from swift_lb.load.shared_record import SharedRecord, node_load_from_fields
from swift_lb.model import UNKNOWN_LOAD, fast_tuple

SLICE = 512     # records that attend() mends at once, which takes half a millisecond
PACE_AT = table.PACE * table.WORD
QUEUED, WAITING, LOW = table.BITS, 2 * table.BITS, table.LOW
pace_of = table.PACE_STRUCT.unpack_from


class SharedSnapshot(NamedTuple):
    """A frozen Snapshot that decodes the copied bytes of each record when they are needed."""

    copies: dict            # Node -> bytes of a record, or its NodeLoad once decoded
    shape: tuple            # the table.Shape of those bytes
    all_connects: Mapping   # ip -> Connect: the book's own, which changes
    met: int
    common: Mapping

    @property
    def loads(self):
        """The mapping {Node: NodeLoad} of the snapshot, decoded."""
        return {node: self.of(node) for node in self.copies}

    @property
    def connects(self):
        """The mapping {ip: Connect} of the snapshot's nodes, as the book has it now, not then."""
        return {node.ip: self.all_connects[node.ip] for node in self.copies
                if node.ip in self.all_connects}

    def of(self, node):
        """Return the NodeLoad of `node`, UNKNOWN_LOAD if the book has never met it."""
        copy = self.copies.get(node, UNKNOWN_LOAD)
        if type(copy) is bytes:
            self.copies[node] = copy = node_load_from_fields(copy, self.shape)
        return copy

    def evidence_of(self, kind, nodes):
        """Return [(queued reads, streaming reads, evidence of `kind` or None), ...] of `nodes`."""
        if kind is not Pace:
            loads = [self.of(node) for node in nodes]
            return [(load.queued, load.streaming, load.evidence.get(kind)) for load in loads]
        copies, shape, _connects, _met, _common = self
        counts, evidence = shape.counts, []
        for node in nodes:
            copy = copies.get(node, UNKNOWN_LOAD)
            if type(copy) is bytes:
                row = sum(counts(copy, ROW))
                queued, waiting = row >> QUEUED & LOW, row >> WAITING & LOW
                evidence.append((queued, waiting - queued if waiting > queued else 0,
                                 pace_of(copy, PACE_AT)))
            else:
                evidence.append((copy.queued, copy.streaming, copy.evidence.get(Pace)))
        return evidence


class SharedBook(LoadBook):
    """The LoadBook of a host, as one process uses it; each process has a slot in the Table.

    Of the Evidence, Pace is shared, and kept even if no policy of this process uses it, since one
    of another process may. Other Evidence, and the times to connect to an ip, are private to a
    process.
    """

    def __init__(self, kinds, of_table, slot, alone):
        """`kinds` are classes of Evidence, `slot` is the number of this process in the Table.

        `alone()` returns a context manager that yields whether this process may now insert records.
        """
        super().__init__(dict.fromkeys((*kinds, Pace)))
        self._common[Pace] = FleetPace(of_table.doubles[table.FLEET:table.FLEET + 5])
        self.hedges = HedgeBudget(of_table.doubles[table.HEDGES:table.HEDGES + 1])
        self._table, self._slot, self._alone = of_table, slot, alone
        self._turns = of_table.integers[table.TURN:table.TURN + 1]
        self._seen = 0          # records of the table that self._records has
        self._attended = 0      # records that this round of attend() has mended
        self.private = set()    # nodes whose records are not in the table

    def _meet(self, node):
        self._refresh()
        if node not in self._records:
            self._insert(node)
        return self._records.get(node) or self._meet_privately(node)

    def _meet_privately(self, node):
        self.private.add(node)
        return super()._meet(node)

    def _insert(self, node):
        with self._alone() as alone:
            if alone:
                self._refresh()     # another process may have inserted it before
                if node not in self._records or node in self.private:
                    self._table.insert(node)
        self._refresh()

    def _refresh(self):
        if self._table.count < self._seen:      # a damaged COUNT: records never go
            self._table.integers[table.COUNT] = self._seen
        for index in range(self._seen, self._table.count):
            self._seen = index + 1
            node = self._table.name(index)
            if node is not None and (node not in self._records or node in self.private):
                self.private.discard(node)
                self._records[node] = SharedRecord(self._table, index, self._slot, {
                    kind: self._common[kind] if kind is Pace else self._new(kind)
                    for kind in self._kinds})

    def snapshot(self, nodes=None):
        """Return a SharedSnapshot of `nodes`, or of all nodes that any process has met."""
        of_table, records, copies = self._table, self._records, {}
        if of_table.integers[table.COUNT] != self._seen:
            self._refresh()
        shape = of_table.shape()
        if nodes is None:
            nodes = [node for node, record in records.items() if record.touched_at]
        for node in nodes:
            record = records.get(node)
            if record is not None:
                if record.shape is not shape:
                    record.fit(shape)
                copies[node] = record.copy()
        common = {}
        for kind, each in self._common.items():
            common[kind] = each.view()
        return fast_tuple(SharedSnapshot, (copies, shape, self._connects, len(records), common))

    def _drop(self, node, record):
        """Blank the record, but leave it in the table: other processes may be about to use it."""
        if node in self.private:
            self.private.discard(node)
            super()._drop(node, record)
        elif record.touched_at:
            before = record.touched_at
            record.blank()
            if record.in_flight.count():    # another process has begun a read meanwhile
                record.touched_at = before

    def attend(self):
        """Mend SLICE records of the table; to be called from time to time, outside of requests.

        Devices that found no room in the table are tried again once there is room, this process's
        words are written again, and records with impossible words are blanked. Requests wait
        meanwhile, hence the slices.
        """
        self._table.stretch(self._slot)
        shape = self._table.shape()
        room = self._table.count < self._table.capacity
        for node in self._next_slice():
            if node not in self.private:
                record = self._records[node]
                record.fit(shape)
                record.in_flight.publish()
                record.mend()
            elif room:
                self._insert(node)

    def _next_slice(self):
        begin = self._attended if self._attended < len(self._records) else 0
        self._attended = begin + SLICE
        return list(islice(self._records, begin, self._attended))
