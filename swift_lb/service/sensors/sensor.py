"""What a sensor of the node agent is: one number about this host, or None, which is unknown."""
import math

from swift_lb.service.sensors.unknown import UnknownError, reason


class Sensor:
    """One number about this host; the sensors are its subclasses.

    A subclass says what the number is in its docstring and in the attributes below, and has
    `_read(now)`, which returns it, or raises UnknownError or whatever else befalls it.
    """

    name = None             # of the metric
    unit = None
    least, most = 0.0, None     # range; what is outside is not believed; None: no bound
    direction = 'lower'     # is better: it is a load
    options = ()            # the keywords of the constructor that are an operator's to set
    counters = None         # the Source that it shares with other sensors, if there is one
    fault = None            # why the last reading is unknown, in words; None if it is known

    def read(self, now):
        """Return the number at `now`, an instant of a monotonic clock, or None if it is unknown."""
        try:
            value, self.fault = self._believed(self._read(now)), None
        except Exception as err:    # a file that is gone, a number that is none: the agent goes on
            value, self.fault = None, reason(err)
        return value

    def _believed(self, value):
        """Return a number that is in the range."""
        least = -math.inf if self.least is None else self.least
        most = math.inf if self.most is None else self.most
        if isinstance(value, bool) or not (math.isfinite(value) and least <= value <= most):
            raise UnknownError(f'{value} can not be')
        return float(value)
