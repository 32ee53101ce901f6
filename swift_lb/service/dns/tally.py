"""What the processes that answer have told, summed: counts of those that have ended stay in."""
import json
from collections import Counter
from typing import NamedTuple

KEPT = 3            # processes of one name that may still tell: one, and those that end just now
STALE = 5.0         # seconds: who has told nothing for so long does nothing


class Told(NamedTuple):
    """The last that a process has told, and when."""

    document: dict
    at: float


class Totals:
    """Counts of processes, since each began."""

    def __init__(self):
        self.queries = Counter()    # (type, result) -> queries
        self.given = Counter()      # (family, node) -> answers that it was in
        self.expected = Counter()   # likewise -> answers that it should have been in
        self.faults = Counter()     # process -> what must not be
        self.updates = Counter()    # process -> updates of another's server that it has sent

    def add(self, document):
        """Add what a process has counted."""
        for kind, result, count in document['queries']:
            self.queries[kind, result] += count
        for family, node, given, expected in document['given']:
            self.given[family, node] += given
            self.expected[family, node] += expected
        self.faults[document['worker']] += document['faults']
        self.updates[document['worker']] += document.get('updates', 0)


class Tally:
    """The newest document of each process, and counts."""

    def __init__(self):
        self.starts = Counter()     # process -> times it was seen to begin
        self._told = {}             # process -> {pid: Told}, the youngest last
        self._ended = Totals()

    def hear(self, datagram, now):
        """Take what a process tells at the instant `now`."""
        document = json.loads(datagram)
        name, pid = document['worker'], document['pid']
        told = self._told.setdefault(name, {})
        if pid not in told:
            self.starts[name] += 1
            if len(told) >= KEPT:
                self._ended.add(told.pop(next(iter(told))).document)
        told[pid] = Told(document, now)

    def totals(self):
        """Return the Totals of all processes there have been."""
        found = Totals()
        for name in vars(found):
            getattr(found, name).update(getattr(self._ended, name))
        for told in self._told.values():
            for one in told.values():
                found.add(one.document)
        return found

    def processes(self):
        """Return {process: Told} of the youngest of each name."""
        return {name: next(reversed(told.values())) for name, told in sorted(self._told.items())}

    def present(self, now):
        """Return {process: document} of those that have told something of late."""
        return {name: told.document for name, told in self.processes().items()
                if now - told.at <= STALE}
