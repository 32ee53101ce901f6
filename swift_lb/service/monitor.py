"""The load monitor of the Cygnus paper: it reads a node's sensors and its rates of delegation."""
import math
from collections import Counter

from swift_lb.load.table import ERRORS, SUCCESSES, TIMEOUTS, Table
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.forecast.loads import LoadForecasts
from swift_lb.plan.smoothing import Rates, dampened
from swift_lb.wire.node_report import MAX_RATE, NAME, largest

ENDED = (SUCCESSES, ERRORS, TIMEOUTS)
MAX_METRIC = 1e15


class LoadMonitor:
    """The metrics of this node, each smoothed (dampened) by its own factor."""

    def __init__(self, sensors, dampenings, default, log, flows=lambda now: None, forecast=()):
        """Take `sensors`, {name: object with read(now)}, and `dampenings`, {name: factor}.

        `default` is the factor of all other sensors. `log(name, err)` is called for a sensor that
        raises, as an operator's plug-in may. `flows(now)` returns {node: requests delegated to it
        per second}, or None if that is unknown. `forecast` are the names of metrics to forecast.
        """
        self._sensors, self._dampenings, self._default = sensors, dampenings, default
        self._log, self._flows = log, flows
        self.raw = {}           # name -> the last reading; unknown ones are absent
        self.metrics = {}       # name -> the dampened reading
        self.forecasts = {}     # name -> that of the next one, which is reported instead
        self._forecasts = LoadForecasts(forecast)
        self.flows = ()         # `flows` of the next Report

    def read(self, now):
        """Read all sensors and rates of delegation at `now`; return {metric: dampened value}.

        The metric of delegated requests is not dampened: it is a mean over seconds already.
        """
        before, self.raw, self.metrics = self.metrics, {}, {}
        for name, sensor in self._sensors.items():
            value = self._read(name, sensor, now)
            if value is None:
                continue
            self.raw[name] = value
            self.metrics[name] = dampened(before.get(name), value,
                                          self._dampenings.get(name, self._default))
        self.forecasts = self._forecasts.after(self.metrics)
        rates = self._flows(now)
        self.flows = largest(rates or {})
        if rates is not None:
            self.metrics[HANDED_ON] = math.fsum(rates.values())
        return self.metrics

    @property
    def reported(self):
        """The metrics of a Report, {name: value}: the forecasts, and else dampened readings."""
        return self.metrics | self.forecasts

    def unknown(self):
        """Return {sensor: reason} of the sensors whose last reading was unknown."""
        return {name: getattr(sensor, 'fault', None) or 'no reason is given'
                for name, sensor in self._sensors.items() if name not in self.raw}

    def _read(self, name, sensor, now):
        """Return a sensor's reading, or None if it is unknown or too large for a Report."""
        try:
            value = sensor.read(now)
            value = None if value is None else float(value)
        except Exception as err:
            self._log(name, err)
            return None
        return value if value is not None and abs(value) <= MAX_METRIC else None


class DelegationRates:
    """How many requests per second the dispatchers of this host delegate to each other node."""

    def __init__(self, counts):
        """Take `counts()`: delegated_counts() of the dispatchers' table, None without a table."""
        self._counts, self._rates = counts, Rates()

    def __call__(self, now):
        """Return {node: requests per second} without zeros; None without the dispatchers' table."""
        rates = self._rates.at(now, self._counts())
        return rates and {node: rate for node, rate in rates.items() if 0 < rate <= MAX_RATE}


def delegated_counts(buffer, _alive):
    """Return {node: number of requests that were delegated to it and have ended}.

    `buffer` is the table (load/table.py) that the dispatchers share, whose records are peers. A
    node may have several records, one for each address it has had.
    """
    table, counts = Table(buffer), Counter()
    for index in range(table.count):
        peer, words = table.name(index), table.words(index)[1]
        if peer is not None and NAME.fullmatch(peer.device):
            counts[peer.device] += sum(words[field] for field in ENDED)
    return counts
