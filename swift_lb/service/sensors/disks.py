"""Sensors of the disks on which Swift's devices are.

Read from /proc and /sys, since psutil leaves out the weighted time of the queue. No file of a
device is touched, not even by stat: a disk that hangs would hang the agent.
"""
import os
import re
from typing import NamedTuple

from swift_lb.config import Option, absolute_path
from swift_lb.service.sensors.sensor import Growth, Sensor, SharedReading, UnknownError

DEVICES = '/srv/node'
SEARCH_INTERVAL = 60.0          # seconds between two searches for disks
# The kernel's Documentation/admin-guide/iostats.rst; the name is the third word of a line.
NAME, DONE, IN_FLIGHT, BUSY, WEIGHTED = 2, (3, 7, 14, 18), 11, 12, 13
ESCAPED = re.compile(r'\\([0-7]{3})')       # in mountinfo: characters that would break its lines


class Disk(Sensor):
    """The sensor `disk`: the fraction of the time in which the busiest disk had a request.

    1 is the limit of a spinning disk, but not of an SSD, which serves many requests at a time.
    """

    name, unit, maximum = 'disk', 'fraction', 1.0
    options = {'devices': Option(absolute_path, '', 'directory in which the disks are mounted')}
    shared = 'disks'

    def __init__(self, *, devices=DEVICES, disks=None):
        """Watch the disks mounted below `devices`; `disks(devices)` returns a DiskCounters."""
        self._disks = (disks or DiskCounters)(devices)

    def _read(self, now):
        return max(disk.busy for disk in self._disks.at(now).values())


class DiskQueue(Disk):
    """The sensor `disk_queue`: mean requests in flight between readings, at the fullest disk."""

    name, unit, maximum = 'disk_queue', 'requests', None

    def _read(self, now):
        return max(disk.queue for disk in self._disks.at(now).values())


class DiskUse(NamedTuple):
    """How busy one disk was between two readings, and its mean requests in flight."""

    busy: float     # fraction of the time in which it had a request
    queue: float    # mean number of requests that it had


class DiskCounters(SharedReading):
    """A reading {disk: its DiskUse since the last reading} of the disks under a directory."""

    def __init__(self, devices=DEVICES, root=''):
        """Watch the disks mounted below `devices`; `root` is the directory of proc and sys."""
        super().__init__()
        self._devices, self._root, self._growth = devices, root, Growth()
        self._names, self._searched_at = set(), None
        self._in_flight = {}

    def _read(self, now):
        if self._searched_at is None or now - self._searched_at >= SEARCH_INTERVAL:
            self._names, self._searched_at = disks_of(self._devices, self._root), now
        counts, in_flight = self._counts()
        before, self._in_flight = self._in_flight, in_flight
        if not in_flight:
            raise UnknownError('there is no disk')
        elapsed, grown = self._growth.since_last(now, counts)
        return {name: use(elapsed, *(grown[name, kind] for kind in (DONE, BUSY, WEIGHTED)),
                          before.get(name, 0), in_flight[name]) for name in in_flight}

    def _counts(self):
        """Return ({(disk, kind): count}, {disk: requests in flight}) from /proc/diskstats.

        A disk that has left the host since the disks were listed has no line there: it is left out.
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
    """Return the DiskUse of one disk over `elapsed` seconds.

    `done` (requests), `busy` (ms) and `weighted` (ms of all requests together) are the growth of
    the disk's counters; `before` and `after` are its requests in flight at the two readings. Since
    Linux 5.0 the time of a request is counted when it ends, so that a disk that hangs counts
    nothing and looks idle. Therefore a disk that had requests at both readings, and completed none,
    was busy all the time. The time of a long request is counted at once, when it ends.
    """
    if before and after and not done:
        return DiskUse(1.0, max((before + after) / 2, weighted / 1e3 / elapsed))
    return DiskUse(min(1.0, busy / 1e3 / elapsed), weighted / 1e3 / elapsed)


def disks_of(devices, root=''):
    """Return the set of names of the disks mounted below `devices`; if none is, of all disks.

    The names are those of whole disks in /proc/diskstats: for a partition its disk, for a volume
    (LVM, crypt, RAID) the disks on which it lies. `root` is the directory that has proc and sys.
    """
    return _mounted(os.path.realpath(devices), root) or _all(root)


def _mounted(devices, root):
    names = set()
    with open(f'{root}/proc/self/mountinfo', encoding='utf-8', errors='surrogateescape') as file:
        for line in file:
            _id, _parent, number, _root, point, *_rest = line.split(' ')
            point = ESCAPED.sub(lambda match: chr(int(match[1], 8)), point)
            if point == devices or point.startswith(devices.rstrip('/') + '/'):
                names |= _below(os.path.realpath(f'{root}/sys/dev/block/{number}'))
    return names


def _below(path):
    """Return the names of the disks on which a block device lies, given by its path in /sys."""
    if not os.path.exists(path):        # a file system without a block device, such as tmpfs
        return set()
    if os.path.exists(f'{path}/partition'):
        path = os.path.dirname(path)
    try:
        slaves = os.listdir(f'{path}/slaves')
    except FileNotFoundError:
        slaves = []
    if not slaves:
        return {_name(path)}
    return set().union(*(_below(os.path.realpath(f'{path}/slaves/{each}')) for each in slaves))


def _all(root):
    """Return the names of all disks of this host that are hardware and not removable."""
    block = f'{root}/sys/block'
    return {_name(name) for name in os.listdir(block)
            if os.path.exists(f'{block}/{name}/device') and not _is_removable(f'{block}/{name}')}


def _is_removable(path):
    try:
        with open(f'{path}/removable', encoding='ascii') as file:
            return file.read().strip() == '1'
    except FileNotFoundError:
        return False


def _name(path):
    return os.path.basename(path).replace('!', '/')     # cciss/c0d0
