"""How many processes of this host want a core or a disk."""
import os

from swift_lb.service.sensors.sensor import Sensor


class Load(Sensor):
    """The load average of the last minute, per core."""

    name, unit = 'load', 'processes per core'

    def __init__(self, *, averages=os.getloadavg, cores=os.cpu_count):
        """Read with `averages`, of 1, 5 and 15 minutes, and `cores`, their number."""
        self._averages, self._cores = averages, cores

    def _read(self, _now):
        return self._averages()[0] / self._cores()
