"""How busy the cores of this host are."""
import os

import psutil

from swift_lb.service.sensors.growth import Growth, fraction
from swift_lb.service.sensors.sensor import Sensor
from swift_lb.service.sensors.unknown import UnknownError

# Guests are in user and nice already. What the hypervisor steals can not be used: it is busy.
BUSY = ('user', 'nice', 'system', 'irq', 'softirq', 'steal')


class Cpu(Sensor):
    """Fraction of the time of all cores that was busy between two reads; the host's, no cgroup's.

    A core that waits for a disk is idle: it could do something else.
    """

    name, unit, most = 'cpu', 'fraction', 1.0

    def __init__(self, *, times=psutil.cpu_times, cores=os.cpu_count):
        """Read with `times`, seconds since the host was started, and `cores`, their number."""
        self._times, self._cores, self._growth = times, cores, Growth()

    def _read(self, now):
        times = self._times()
        elapsed, grown = self._growth.since_last(now, {
            'busy': sum(getattr(times, kind, 0.0) for kind in BUSY),
            'idle': times.idle + times.iowait})
        total = grown['busy'] + grown['idle']
        # Where a guest has been moved, or a core unplugged, steal has leapt by centuries.
        if total > 2 * self._cores() * (elapsed + 1):
            raise UnknownError('more time has been counted than has passed')
        return fraction(grown['busy'], total)
