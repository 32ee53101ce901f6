"""The counts that the DNS processes report: sums since the start, and shares of recent minutes."""
import json
from collections import Counter, deque
from typing import NamedTuple

KEPT_PROCESSES = 3  # processes of one name that may still report: one, and those just ending
STALE = 5.0         # seconds without a report after which a process counts as dead
SHARES_SECONDS = 300.0      # seconds of the recent shares
POINT_INTERVAL = 10.0         # seconds between two points of them


class ProcessReport(NamedTuple):
    """The last report of a process, and the instant at which it was received."""

    document: dict
    at: float


class DnsTotals:
    """Counts of queries, answers, faults and updates, summed over the DNS processes."""

    def __init__(self):
        self.queries = Counter()    # (type, result) -> queries
        self.given = Counter()      # (family, node) -> answers that contained it
        self.expected = Counter()   # (family, node) -> answers that should have contained it
        self.faults = Counter()     # process -> internal errors
        self.updates = Counter()    # process -> updates sent to the operator's server

    def add(self, document):
        """Add the counts in `document`, the report of a process."""
        for kind, result, count in document['queries']:
            self.queries[kind, result] += count
        for family, node, given, expected in document['given']:
            self.given[family, node] += given
            self.expected[family, node] += expected
        self.faults[document['worker']] += document['faults']
        self.updates[document['worker']] += document.get('updates', 0)


class DnsTally:
    """The counts of queries and answers that the processes of a DNS service have reported."""

    def __init__(self):
        self.starts = Counter()     # process -> number of starts that were observed
        self._reports = {}      # process -> {pid: ProcessReport}, newest last
        self._ended = DnsTotals()

    def receive(self, datagram, now):
        """Keep the report of a process, a JSON datagram, received at the instant `now`."""
        document = json.loads(datagram)
        name, pid = document['worker'], document['pid']
        reports = self._reports.setdefault(name, {})
        if pid not in reports:
            self.starts[name] += 1
            if len(reports) >= KEPT_PROCESSES:
                self._ended.add(reports.pop(next(iter(reports))).document)
        reports[pid] = ProcessReport(document, now)

    def totals(self):
        """Return the DnsTotals over all processes, including those that have ended."""
        totals = DnsTotals()
        for name in vars(totals):
            getattr(totals, name).update(getattr(self._ended, name))
        for reports in self._reports.values():
            for report in reports.values():
                totals.add(report.document)
        return totals

    def processes(self):
        """Return {process name: ProcessReport}, the last of the newest process of each name."""
        return {name: next(reversed(reports.values()))
                for name, reports in sorted(self._reports.items())}

    def present(self, now):
        """Return {process: report} of the processes that reported in the last STALE seconds."""
        return {name: report.document for name, report in self.processes().items()
                if now - report.at <= STALE}


class Recent:
    """The counts of answers of the last minutes, from which recent shares are computed."""

    def __init__(self):
        self._points = deque([(float('-inf'), {}, {})])     # (instant, given, expected)

    def note(self, totals, now):
        """Keep a copy of the counts in `totals`, DnsTotals, once every POINT_INTERVAL seconds."""
        if now - self._points[-1][0] < POINT_INTERVAL:
            return
        self._points.append((now, dict(totals.given), dict(totals.expected)))
        while self._points[1][0] <= now - SHARES_SECONDS:
            self._points.popleft()

    def shares(self, totals):
        """Return two dicts {(family, node): share of the clients}: as answered, and as intended.

        A share is the node's fraction of all addresses in the answers of the last SHARES_SECONDS,
        because a client uses any one address of its answer. `totals` are the DnsTotals now; the
        counts at the begin of this time come from note().
        """
        _at, given, expected = self._points[0]
        return fractions(since(given, totals.given)), fractions(since(expected, totals.expected))


def since(before, now):
    """Return {key: growth} of counters from their earlier values `before` to those in `now`."""
    return {key: count - before.get(key, 0) for key, count in now.items()}


def fractions(counts):
    """Return {(family, node): count / sum of its family's counts}, without families of sum 0."""
    sums = dict.fromkeys((family for family, _node in counts), 0)
    for (family, _node), count in counts.items():
        sums[family] += count
    return {key: count / sums[key[0]] for key, count in counts.items() if sums[key[0]] > 0}
