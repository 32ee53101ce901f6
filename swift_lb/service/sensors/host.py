"""Sensors of the host: cores, load average, memory, and Swift's pending container updates."""
import json
import os

import psutil

from swift_lb.config import Option, absolute_path
from swift_lb.regular_file import FileWatch, open_regular
from swift_lb.service.sensors.sensor import Growth, Sensor, UnknownError, fraction

# Time of guests is in user and nice already. Time that the hypervisor steals can not be used.
BUSY = ('user', 'nice', 'system', 'irq', 'softirq', 'steal')
RECON_CACHE = '/var/cache/swift/object.recon'
RECON_MAX_AGE = 600.0   # seconds; twice the 5 minutes at which swift-recon-cron is usually run


class Cpu(Sensor):
    """The sensor `cpu`: the fraction of the host's core time that was busy between two readings.

    Time in which a core waits for a disk counts as idle. Limits of cgroups are ignored.
    """

    name, unit, maximum = 'cpu', 'fraction', 1.0

    def __init__(self, *, times=psutil.cpu_times, cores=os.cpu_count):
        """Take `times()`, as psutil.cpu_times, and `cores()`, which returns the number of cores."""
        self._times, self._cores, self._growth = times, cores, Growth()

    def _read(self, now):
        times = self._times()
        elapsed, grown = self._growth.since_last(now, {
            'busy': sum(getattr(times, kind, 0.0) for kind in BUSY),
            'idle': times.idle + times.iowait})
        total = grown['busy'] + grown['idle']
        # Steal leaps by centuries when a guest is moved to another host, or a core is unplugged.
        if total > 2 * self._cores() * (elapsed + 1):
            raise UnknownError('more time has been counted than has passed')
        return fraction(grown['busy'], total)


class LoadAverage(Sensor):
    """The load average of the last minute (processes that want a core or a disk), per core."""

    name, unit = 'load', 'processes per core'

    def __init__(self, *, averages=os.getloadavg, cores=os.cpu_count):
        """Take `averages()`, those of 1, 5 and 15 minutes, and `cores()`, the number of cores."""
        self._averages, self._cores = averages, cores

    def _read(self, _now):
        return self._averages()[0] / self._cores()


class Memory(Sensor):
    """The fraction of the host's memory in use; page cache counts as free, as it can be dropped."""

    name, unit, maximum = 'memory', 'fraction', 1.0

    def __init__(self, *, memory=psutil.virtual_memory):
        """Take `memory()`, whose result has `available` and `total`, in bytes."""
        self._memory = memory

    def _read(self, _now):
        memory = self._memory()
        if not 0 < memory.available < memory.total:     # psutil's 0 means that it is not known
            raise UnknownError('the kernel does not say how much memory is available')
        return 1 - memory.available / memory.total


class AsyncPending(Sensor):
    """Updates of containers that wait on this host's disks, as swift-recon-cron last counted them.

    Unknown until swift-recon-cron has counted once after the agent's start: the age of an earlier
    count could be told only by a wall clock, which may be wrong. Unknown, too, when the last new
    count is older than RECON_MAX_AGE.
    """

    name, unit = 'async_pending', 'updates'
    options = {'path': Option(absolute_path, '', 'the recon cache file of the object servers')}

    def __init__(self, *, path=RECON_CACHE):
        """Take the path of the recon cache file, in which swift-recon-cron stores the count."""
        self._path, self._watch = path, FileWatch(path)
        self._count = self._value = self._counted_at = None

    def _read(self, now):
        self._refresh(now)
        if self._counted_at is None:
            raise UnknownError(f'{self._path} has no count made since the agent was started')
        if now - self._counted_at > RECON_MAX_AGE:
            raise UnknownError(f'{self._path} has had no new count for {RECON_MAX_AGE:g} s')
        return self._value

    def _refresh(self, now):
        """Read the recon cache if it has changed, and note whether it has a new count.

        Other daemons write to the file too. A count is new if its `async_pending_last` is; older
        Swifts lack that, and there a count is new if the file is.
        """
        if not self._watch.has_changed():
            return
        version, self._watch.version = self._watch.version, ()      # read again unless this works
        with open_regular(self._path, encoding='utf-8') as opened:
            cache = json.load(opened)
        value, count = cache['async_pending'], cache.get('async_pending_last', version)
        if self._count not in (None, count):
            self._counted_at = now
        self._count, self._value, self._watch.version = count, value, version
