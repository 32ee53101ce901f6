"""The number of hops of requests, from the logs of all proxies."""
from collections import Counter
from typing import NamedTuple

from support.dispatch_lab import lines

DELEGATED = 'LB'        # the source in the line of the proxy that delegated a request
REFUSED = '503'


class Hops(NamedTuple):
    """How many transaction ids have one hop, more hops, or a refusal."""

    requests: int
    once: int           # delegated
    more: int           # delegated twice or more
    twice: int          # served twice or more
    refused: int

    def __str__(self):
        return (f'{self.requests} requests in the logs, delegated once {self.once}, twice or more '
                f'{self.more}, served twice or more {self.twice}, refused {self.refused}')


def hops(texts, of):
    """Return the Hops of GETs with `of` in their paths, from the texts of all proxies' logs."""
    results = [line for text in texts for line in lines(text, of) if line.method == 'GET']
    handed = Counter(line.trans_id for line in results if line.source == DELEGATED)
    served = Counter(line.trans_id for line in results if line.source != DELEGATED)
    return Hops(len(handed.keys() | served.keys()), sum(count == 1 for count in handed.values()),
                repeated(handed), repeated(served),
                sum(line.status == REFUSED for line in results if line.source != DELEGATED))


def repeated(counts):
    """Return how many of the values of the dict `counts` are greater than one."""
    return sum(count > 1 for count in counts.values())


class Marks:
    """The sizes of the log files `paths`, those of all proxies, at one instant."""

    def __init__(self, paths):
        self._ends = {path: path.stat().st_size for path in paths}

    def since(self):
        """Return [the text that each proxy has logged since these Marks were made]."""
        return [rest(path, end) for path, end in self._ends.items()]


def rest(path, begin):
    """Return the text of a file from byte `begin` on, or all of it if it has been truncated."""
    with path.open('rb') as file:
        size = file.seek(0, 2)
        file.seek(begin if begin <= size else 0)
        return file.read().decode(errors='replace')
