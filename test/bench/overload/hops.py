"""How many hops requests made, by what all proxies have logged of them."""
from collections import Counter
from typing import NamedTuple

from support.dispatch_lab import lines

HANDED_ON = 'LB'        # the source, in the line of who has handed a request on
REFUSED = '503'


class Hops(NamedTuple):
    """Transaction ids, counted."""

    requests: int
    once: int           # handed on
    more: int           # handed on twice or more
    twice: int          # served twice or more
    refused: int

    def __str__(self):
        return (f'{self.requests} requests in the logs, handed on once {self.once}, twice or more '
                f'{self.more}, served twice or more {self.twice}, refused {self.refused}')


def hops(texts, of):
    """Return the Hops of GETs with `of` in their paths, by the texts of all proxies' logs."""
    results = [line for text in texts for line in lines(text, of) if line.method == 'GET']
    handed = Counter(line.trans_id for line in results if line.source == HANDED_ON)
    served = Counter(line.trans_id for line in results if line.source != HANDED_ON)
    return Hops(len(handed.keys() | served.keys()), sum(count == 1 for count in handed.values()),
                repeated(handed), repeated(served),
                sum(line.status == REFUSED for line in results if line.source != HANDED_ON))


def repeated(counts):
    """Return of how many there is more than one."""
    return sum(count > 1 for count in counts.values())


class Marks:
    """Where the logs of a Cluster ended at some instant."""

    def __init__(self, paths):
        self._ends = {path: path.stat().st_size for path in paths}

    def since(self):
        """Return what has been logged since, a text for each."""
        return [rest(path, end) for path, end in self._ends.items()]


def rest(path, begin):
    """Return the text of a file from a byte on; all of one that has been begun anew."""
    with path.open('rb') as file:
        size = file.seek(0, 2)
        file.seek(begin if begin <= size else 0)
        return file.read().decode(errors='replace')
