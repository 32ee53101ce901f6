"""Which share of its fair reads a device was sent, from what the storage nodes have counted.

    share = sent / (reads x portion)

    sent     requests that have come to the device: served, refused, given up, or in hand
    reads    requests that have come to all devices, but for those that came again elsewhere
    portion  the device's part of all replicas of the objects, each of which is read equally often:
             of what is read from objects it holds, a third
"""
from bisect import bisect_right
from operator import itemgetter

from swift_lb.lab.nodes import COUNTS

AGAIN = ('failed', 'gone')     # the proxy then reads the same from another


def sent(counts):
    """Return how many requests have come to a device of these counts, see Lab.served."""
    return sum(counts[name] for name in COUNTS)


def reads(counts):
    """Return how many of them came for the first time."""
    return sent(counts) - sum(counts[name] for name in AGAIN)


class Shares:
    """What was `seen`, (second, {device: counts}) rising; {device: portion of all replicas}."""

    def __init__(self, seen, portions):
        self._seen, self._portions = seen, portions

    def sent(self, devices, first, last):
        """Return how many requests came to `devices` between two seconds."""
        before, after = self.at(first), self.at(last)
        return sum(sent(after[device]) - sent(before[device]) for device in devices)

    def reads(self, first, last):
        """Return how many reads there were between two seconds."""
        before, after = self.at(first), self.at(last)
        return sum(reads(after[device]) - reads(before[device]) for device in after)

    def share(self, devices, first, last):
        """Return what part of their fair reads came to `devices` between two seconds."""
        fair = self.reads(first, last) * sum(self._portions[device] for device in devices)
        return self.sent(devices, first, last) / fair if fair else 0.0

    def by_second(self, devices, first, last, step=1.0):
        """Return the share of each whole second, or other step, between two seconds."""
        whole = int((last - first) / step + 1e-6)
        return [self.share(devices, first + number * step, first + (number + 1) * step)
                for number in range(whole)]

    def after(self, devices, many, first, last):
        """Return the second at which `many` had come to `devices` since `first`; or `last`."""
        return next((second for second, _counts in self._seen if first <= second < last
                     and self.sent(devices, first, second) >= many), last)

    def most(self, devices, name, first, last):
        """Return the most that a count such as `hanging` was on `devices` at any time."""
        return max((sum(counts[device][name] for device in devices)
                    for second, counts in self._seen if first <= second <= last), default=0)

    def at(self, second):
        """Return the {device: counts} last seen before `second`, or first seen."""
        place = bisect_right(self._seen, second, key=itemgetter(0))
        return self._seen[max(0, place - 1)][1]
