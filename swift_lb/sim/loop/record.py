"""What a closed loop showed, second by second."""
from array import array
from collections import Counter


class Record:
    """Keep raw facts; outcome.py makes figures of them."""

    def __init__(self, setting, names):
        """`names` are those of the nodes."""
        self.setting, self.names = setting, names
        self.ended_at, self.response_times = array('d'), array('d')
        self.delegated = array('b')
        self._told = []                 # (instant, shares of the new clients, by the first node)
        self._served = {}               # second -> Counter of names

    def answered(self, now, request):
        """Record the answer to a Request."""
        self.ended_at.append(now)
        self.response_times.append(now - request.sent_at)
        self.delegated.append(request.delegated)
        self._served.setdefault(int(now), Counter())[request.served_by] += 1

    def told(self, now, shares):
        """Record {name: share of the new clients}; who is left out is absent."""
        self._told.append((now, shares))

    def told_lines(self):
        """Return {name: ((instant, share of the new clients), ...)}."""
        return {name: tuple((now, shares.get(name, 0.0)) for now, shares in self._told)
                for name in self.names}

    def served_lines(self, seconds):
        """Return {name: ((instant, share of what was served), ...)}, by windows of `seconds`."""
        sums = [(end, self._sum(end - seconds, end))
                for end in range(seconds, int(self.setting.seconds) + 1, seconds)]
        return {name: tuple((end, counts[name] / counts.total()) for end, counts in sums if counts)
                for name in self.names}

    def _sum(self, begin, end):
        found = Counter()
        for second in range(begin, end):
            found.update(self._served.get(second, {}))
        return found
