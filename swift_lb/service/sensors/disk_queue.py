"""How many requests wait for the disks of Swift's devices."""
from swift_lb.service.sensors.disk import Disk


class DiskQueue(Disk):
    """Mean number of requests between two reads at the disk that had most of them."""

    name, unit, most = 'disk_queue', 'requests', None

    def _read(self, now):
        return max(disk.queue for disk in self._disks.at(now).values())
