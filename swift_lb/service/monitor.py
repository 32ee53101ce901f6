"""Cygnus' load monitor: the sensors of a node, read together, dampened each by its own factor."""
import math

from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.smoothing import dampened
from swift_lb.wire.node_report import largest


class Monitor:
    """The metrics of this node."""

    def __init__(self, sensors, dampenings, default, say, flows=lambda now: None):
        """`sensors` is {name: object with read(now)}, `dampenings` {name: factor} or `default`.

        `say(name, err)` is told of a sensor that raises, as an operator's plug-in may. `flows(now)`
        returns {node: requests per second} that are handed on, None where nothing is known.
        """
        self._sensors, self._dampenings, self._default = sensors, dampenings, default
        self._say, self._flows = say, flows
        self.raw = {}           # name -> what was read last; what is unknown is absent
        self.metrics = {}       # name -> that, dampened
        self.flows = ()         # what a Report says of what was handed on

    def read(self, now):
        """Read all sensors, and the flows, and return {name: dampened value}.

        What is handed on is not dampened: it is counted over seconds as it is.
        """
        before, self.raw, self.metrics = self.metrics, {}, {}
        for name, sensor in self._sensors.items():
            value = self._read(name, sensor, now)
            if value is None:
                continue
            self.raw[name] = value
            self.metrics[name] = dampened(before.get(name), value,
                                          self._dampenings.get(name, self._default))
        self._read_flows(self._flows(now))
        return self.metrics

    def _read_flows(self, rates):
        self.flows = largest(rates or {})
        if rates is not None:
            self.metrics[HANDED_ON] = math.fsum(rates.values())

    def unknown(self):
        """Return {name: why it is unknown} of what could not be read last."""
        return {name: getattr(sensor, 'fault', None) or 'it says nothing'
                for name, sensor in self._sensors.items() if name not in self.raw}

    def _read(self, name, sensor, now):
        try:
            value = sensor.read(now)
            return None if value is None else plausible(float(value))
        except Exception as err:
            self._say(name, err)
            return None


def plausible(value):
    """Return `value`, None if it is no number that could be sent."""
    return value if -1e15 <= value <= 1e15 else None
