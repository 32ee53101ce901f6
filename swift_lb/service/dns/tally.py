"""The reports of the answering processes, summed; the counts of ended processes are included."""
import json
from collections import Counter
from typing import NamedTuple

KEPT = 3            # processes of one name that may still report: one, and those just ending
STALE = 5.0         # seconds without a report after which a process counts as dead


class Told(NamedTuple):
    """The last report of a process, and its time."""

    document: dict
    at: float


class DnsTotals:
    """The counts of processes, since each one began."""

    def __init__(self):
        self.queries = Counter()    # (type, result) -> queries
        self.given = Counter()      # (family, node) -> answers that contained it
        self.expected = Counter()   # (family, node) -> answers that should have contained it
        self.faults = Counter()     # process -> internal errors
        self.updates = Counter()    # process -> updates sent to the operator's server

    def add(self, document):
        """Add the counts of a process."""
        for kind, result, count in document['queries']:
            self.queries[kind, result] += count
        for family, node, given, expected in document['given']:
            self.given[family, node] += given
            self.expected[family, node] += expected
        self.faults[document['worker']] += document['faults']
        self.updates[document['worker']] += document.get('updates', 0)


class DnsTally:
    """The newest report of each process, and counts."""

    def __init__(self):
        self.starts = Counter()     # process -> number of starts that were observed
        self._told = {}             # process -> {pid: Told}, the newest last
        self._ended = DnsTotals()

    def hear(self, datagram, now):
        """Process a report, received at the instant `now`."""
        document = json.loads(datagram)
        name, pid = document['worker'], document['pid']
        told = self._told.setdefault(name, {})
        if pid not in told:
            self.starts[name] += 1
            if len(told) >= KEPT:
                self._ended.add(told.pop(next(iter(told))).document)
        told[pid] = Told(document, now)

    def totals(self):
        """Return the DnsTotals of all processes, ended ones included."""
        found = DnsTotals()
        for name in vars(found):
            getattr(found, name).update(getattr(self._ended, name))
        for told in self._told.values():
            for one in told.values():
                found.add(one.document)
        return found

    def processes(self):
        """Return {process: Told} of the newest of each name."""
        return {name: next(reversed(told.values())) for name, told in sorted(self._told.items())}

    def present(self, now):
        """Return {process: document} of those that have reported recently."""
        return {name: told.document for name, told in self.processes().items()
                if now - told.at <= STALE}
