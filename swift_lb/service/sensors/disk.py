"""How busy the disks of Swift's devices are."""
from swift_lb.errors import ConfigError
from swift_lb.service.sensors.checks import path_fault
from swift_lb.service.sensors.disk_counters import DEVICES, DiskCounters
from swift_lb.service.sensors.sensor import Sensor


class Disk(Sensor):
    """Fraction of the time in which the busiest disk had a request.

    1 is the limit of a spinning disk, and not that of an SSD, which serves many at a time.
    """

    name, unit, most = 'disk', 'fraction', 1.0
    options = ('devices',)
    counters = DiskCounters

    def __init__(self, *, devices=DEVICES, counters=DiskCounters):
        """Watch the disks mounted below `devices`; `counters` makes what reads them."""
        if fault := path_fault('devices', devices):
            raise ConfigError([fault])
        self._disks = counters(devices)

    def _read(self, now):
        return max(disk.busy for disk in self._disks.at(now).values())
