"""The share of its fair reads that a device was sent, from the counts of the storage nodes.

share = sent / (reads x portion)

`sent` are the requests that arrived at the device: served, refused, given up, or in progress.
`reads` are the requests that arrived at all devices, without those that were repeated at another
device. `portion` is the device's fraction of all replicas of the objects, each of which is read
equally often.
"""
from bisect import bisect_right
from operator import itemgetter

from swift_lb.lab.nodes import COUNTS

AGAIN = ('failed', 'gone')     # the proxy then reads the same from another


def sent(counts):
    """Return the number of requests that arrived at a device with these counts; see Lab.served."""
    return sum(counts[name] for name in COUNTS)


def reads(counts):
    """Return how many requests at a device with these counts were not repeated at another."""
    return sent(counts) - sum(counts[name] for name in AGAIN)


class Shares:
    """Shares of reads, from counts at several times: `seen`, [(second, {device: counts})].

    `seen` is in order of time; `portions` is {device: its fraction of all replicas}."""

    def __init__(self, seen, portions):
        self._seen, self._portions = seen, portions

    def sent(self, devices, first, last):
        """Return how many requests arrived at `devices` between the seconds `first` and `last`."""
        before, after = self.at(first), self.at(last)
        return sum(sent(after[device]) - sent(before[device]) for device in devices)

    def reads(self, first, last):
        """Return the number of reads from all devices between the seconds `first` and `last`."""
        before, after = self.at(first), self.at(last)
        return sum(reads(after[device]) - reads(before[device]) for device in after)

    def share(self, devices, first, last):
        """Return the share of their fair reads that `devices` got from `first` to `last` s."""
        fair = self.reads(first, last) * sum(self._portions[device] for device in devices)
        return self.sent(devices, first, last) / fair if fair else 0.0

    def by_second(self, devices, first, last, step=1.0):
        """Return [share() of `devices` in each whole `step` seconds between `first` and `last`]."""
        whole = int((last - first) / step + 1e-6)
        return [self.share(devices, first + number * step, first + (number + 1) * step)
                for number in range(whole)]

    def after(self, devices, many, first, last):
        """Return the first second of `seen` by which `many` requests have come to `devices`.

        Those before `first` do not count. `last` if there are fewer."""
        return next((second for second, _counts in self._seen if first <= second < last
                     and self.sent(devices, first, second) >= many), last)

    def most(self, devices, name, first, last):
        """Return the maximum, from `first` to `last`, of `devices`' count `name`, as `hanging`."""
        return max((sum(counts[device][name] for device in devices)
                    for second, counts in self._seen if first <= second <= last), default=0)

    def at(self, second):
        """Return the last {device: counts} seen up to `second`, or else the first ones."""
        place = bisect_right(self._seen, second, key=itemgetter(0))
        return self._seen[max(0, place - 1)][1]
