"""What the disks of Swift's devices have done since the last tick.

Read from /proc/diskstats, for psutil leaves out the weighted time of the queue.
"""
from typing import NamedTuple

from swift_lb.service.sensors.disks import disks_of
from swift_lb.service.sensors.growth import Growth
from swift_lb.service.sensors.source import Source
from swift_lb.service.sensors.unknown import UnknownError

DEVICES = '/srv/node'
LOOK = 60.0                     # seconds between two looks for disks
# The kernel's Documentation/admin-guide/iostats.rst; the name is the third word of a line.
NAME, DONE, IN_FLIGHT, BUSY, WEIGHTED = 2, (3, 7, 14, 18), 11, 12, 13


class DiskUse(NamedTuple):
    """What one disk did between two ticks."""

    busy: float     # fraction of the time in which it had a request
    queue: float    # mean number of requests that it had


class DiskCounters(Source):
    """The use of each disk under a directory, for the sensors of disks."""

    def __init__(self, devices=DEVICES, root=''):
        """Watch the disks mounted below `devices`; below `root` there are proc and sys."""
        super().__init__()
        self._devices, self._root, self._growth = devices, root, Growth()
        self._names, self._looked_at = set(), None
        self._in_flight = {}

    def _read(self, now):
        """Return {name: DiskUse}."""
        if self._looked_at is None or now - self._looked_at >= LOOK:
            self._names, self._looked_at = disks_of(self._devices, self._root), now
        counts, in_flight = self._counts()
        before, self._in_flight = self._in_flight, in_flight
        if not in_flight:
            raise UnknownError('there is no disk')
        elapsed, grown = self._growth.since_last(now, counts)
        return {name: use(elapsed, *(grown[name, kind] for kind in (DONE, BUSY, WEIGHTED)),
                          before.get(name, 0), in_flight[name]) for name in in_flight}

    def _counts(self):
        """Return ({(disk, kind): count}, {disk: requests in flight}) of the disks that are there.

        One that has left the host since the last look does nothing, and is left out.
        """
        counts, in_flight = {}, {}
        with open(f'{self._root}/proc/diskstats', encoding='utf-8') as file:
            for line in file:
                fields = line.split()
                if (name := fields[NAME]) in self._names:
                    counts[name, DONE] = sum(int(fields[at]) for at in DONE if at < len(fields))
                    counts[name, BUSY] = int(fields[BUSY])
                    counts[name, WEIGHTED] = int(fields[WEIGHTED])
                    in_flight[name] = int(fields[IN_FLIGHT])
        return counts, in_flight


def use(elapsed, done, busy, weighted, before, after):
    """Return the DiskUse of `elapsed` seconds, from what the counters have grown by, in ms.

    Since Linux 5.0 the time of a request is counted when it ends. So a disk that hangs counts none
    and looks idle: if it had requests `before` and `after` and was `done` with none, it was busy.
    And what a request took that began long ago comes all at once.
    """
    if before and after and not done:
        return DiskUse(1.0, max((before + after) / 2, weighted / 1e3 / elapsed))
    return DiskUse(min(1.0, busy / 1e3 / elapsed), weighted / 1e3 / elapsed)
