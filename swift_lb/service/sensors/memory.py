"""How much of the memory of this host is in use."""
import psutil

from swift_lb.service.sensors.sensor import Sensor
from swift_lb.service.sensors.unknown import UnknownError


class Memory(Sensor):
    """Fraction of the memory that is not to be had without swapping; page cache is to be had."""

    name, unit, most = 'memory', 'fraction', 1.0

    def __init__(self, *, memory=psutil.virtual_memory):
        """Read with `memory`, which has `available` and `total`, in bytes."""
        self._memory = memory

    def _read(self, _now):
        memory = self._memory()
        if not 0 < memory.available < memory.total:     # psutil's 0 is for what it does not find
            raise UnknownError('the kernel does not say how much memory is available')
        return 1 - memory.available / memory.total
