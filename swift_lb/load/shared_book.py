"""A LoadBook whose records lie in a Table that all processes of a host have in their memory."""
from itertools import islice

from swift_lb.load import table
from swift_lb.load.book import LoadBook
from swift_lb.load.hedge import HedgeBudget
from swift_lb.load.pace import FleetPace, Pace
from swift_lb.load.shared_record import SharedRecord
from swift_lb.load.shared_snapshot import SharedSnapshot
from swift_lb.model import make

SLICE = 512     # records attended to at once: half a millisecond, and as many devices a round


class SharedBook(LoadBook):
    """The host's book, as the process sees it that holds one of the table's slots.

    Of the evidence, Pace is shared, and kept whether or not a policy of this process wants it: one
    of another may. The rest, and the times to connect to an ip, are each process's own.
    """

    def __init__(self, kinds, of_table, slot, alone):
        """`alone()` is a context manager: whether this process, and no other, may insert now."""
        super().__init__(dict.fromkeys((*kinds, Pace)))
        self._common[Pace] = FleetPace(of_table.doubles[table.FLEET:table.FLEET + 5])
        self.hedges = HedgeBudget(of_table.doubles[table.HEDGES:table.HEDGES + 1])
        self._table, self._slot, self._alone = of_table, slot, alone
        self._turns = of_table.integers[table.TURN:table.TURN + 1]
        self._seen = 0          # records of the table that are in self._records
        self._attended = 0      # records of this round of attend()
        self.private = set()    # nodes whose records the table has not

    def _meet(self, node):
        self._look()
        if node not in self._records:
            self._insert(node)
        return self._records.get(node) or self._meet_privately(node)

    def _meet_privately(self, node):
        self.private.add(node)
        return super()._meet(node)

    def _insert(self, node):
        with self._alone() as alone:
            if alone:
                self._look()    # at what another has inserted before we were alone
                if node not in self._records or node in self.private:
                    self._table.insert(node)
        self._look()

    def _look(self):
        if self._table.count < self._seen:      # what we have seen is there, whatever it says
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
        """Return a Snapshot of `nodes`, or of every node that any process has met."""
        of_table, records, copies = self._table, self._records, {}
        if of_table.integers[table.COUNT] != self._seen:
            self._look()
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
        return make(SharedSnapshot, (copies, shape, self._connects, len(records), common))

    def _drop(self, node, record):
        """Leave the record where it is: others may be about to use it. It knows nothing more."""
        if node in self.private:
            self.private.discard(node)
            super()._drop(node, record)
        elif record.touched_at:
            before = record.touched_at
            record.blank()
            if record.in_flight.count():    # a read has begun meanwhile
                record.touched_at = before

    def attend(self):
        """Put right, now and then, what can not be put right on the way of a request.

        A device that could not be inserted at once is tried again, unless there is no room, our
        words are written anew, and what can not be is forgotten: of SLICE records at a time, for
        requests wait meanwhile.
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
