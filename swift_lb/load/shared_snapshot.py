"""A Snapshot of records that lie in a Table: it copies their words, and decodes what is asked for.

To decode all words of a record takes several times as long as to copy them, and an order by
`adaptive` looks at less than half of them.
"""
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.load import table
from swift_lb.load.pace import Pace
from swift_lb.load.shared_record import ROW_AT, load_of
from swift_lb.model import UNKNOWN

PACE_AT = table.PACE * table.WORD
QUEUED, WAITING, LOW = table.BITS, 2 * table.BITS, table.LOW
pace_of = table.SHOWN.unpack_from


class SharedSnapshot(NamedTuple):
    """What model.Snapshot is, with the same attributes."""

    copies: dict            # Node -> bytes of a record, or the NodeLoad, once it has been made
    shape: tuple            # table.Shape of those bytes
    all_connects: Mapping   # ip -> Connect, the book's own
    met: int
    common: Mapping

    @property
    def loads(self):
        """{Node: NodeLoad}."""
        return {node: self.of(node) for node in self.copies}

    @property
    def connects(self):
        """{ip: Connect}, as they are now."""
        return {node.ip: self.all_connects[node.ip] for node in self.copies
                if node.ip in self.all_connects}

    def of(self, node):
        """Return the NodeLoad of `node`, UNKNOWN if it has never been met."""
        copy = self.copies.get(node, UNKNOWN)
        if type(copy) is bytes:
            self.copies[node] = copy = load_of(copy, self.shape)
        return copy

    def evidence_of(self, kind, nodes):
        """Return [(queued, streaming, the evidence of `kind` or None), ...] of the nodes."""
        if kind is not Pace:
            loads = [self.of(node) for node in nodes]
            return [(load.queued, load.streaming, load.evidence.get(kind)) for load in loads]
        copies, shape, _connects, _met, _common = self
        counts, found = shape.counts, []
        for node in nodes:
            copy = copies.get(node, UNKNOWN)
            if type(copy) is bytes:
                row = sum(counts(copy, ROW_AT))
                queued, waiting = row >> QUEUED & LOW, row >> WAITING & LOW
                found.append((queued, waiting - queued if waiting > queued else 0,
                              pace_of(copy, PACE_AT)))
            else:
                found.append((copy.queued, copy.streaming, copy.evidence.get(Pace)))
        return found
