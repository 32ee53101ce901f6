"""What the agent of a proxy measures, and its Report: what it was last told is in it."""
import math

from swift_lb.model import Report
from swift_lb.plan.dampening import dampened
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.knee import Knee
from swift_lb.plan.rates import Rates
from swift_lb.wire.node_report import largest

FIT = 2.0       # times the requests that a proxy's slots serve, its network carries
RESIDENT = 0.3  # of the memory, whatever there is to do; the rest fills as requests wait
CROWD = 20.0    # requests for each slot that fill it


class Sensor:
    """Measure one proxy, each interval, dampened as Cygnus does it."""

    def __init__(self, proxy, setting, service, handed_on):
        """`service` are the seconds that a request takes.

        `handed_on` is {node: requests that it has served for this one's dispatcher}, and grows;
        None: there is none.
        """
        self.proxy, self._setting = proxy, setting
        self._handed_on, self._rates = handed_on, Rates()
        self._network = FIT * proxy.slots / service
        self._knee = Knee()
        self._metrics, self._before = {}, (0, 0.0, 0.0)
        self._sequence = 0

    def report(self, now, part, instruction):
        """Return the Report; `part` is what the node is told by `instruction`, None at first."""
        self._sequence += 1
        raw, before = self._measured(), self._metrics
        self._metrics = {name: dampened(before.get(name), value, self._setting.dampening)
                         for name, value in raw.items()}
        self._knee.update(raw['in_flight'], raw['requests'])
        report = Report(self.proxy.name, 1, self._sequence, now, self._setting.interval,
                        self._metrics, f'{self.proxy.name}:8080')
        if self._handed_on is not None:
            rates = self._rates.at(now, dict(self._handed_on))
            report = report._replace(metrics=self._metrics | {HANDED_ON: math.fsum(rates.values())},
                                     flows=largest(rates))
        if self._setting.knees:
            report = report._replace(reject=self._knee.reject, critical=self._knee.critical)
        return report if part is None else report._replace(
            told=part.state, weight=part.weight, keep=part.keep, take=part.take,
            generation=instruction.generation, digest=instruction.digest)

    def _measured(self):
        proxy, seconds = self.proxy, self._setting.interval
        last, self._before = self._before, (proxy.served, proxy.waited, proxy.worked())
        served, waited, worked = (new - old for new, old in zip(self._before, last, strict=True))
        found = {'in_flight': proxy.in_flight, 'requests': served / seconds,
                 'cpu': worked / seconds / proxy.slots,
                 'memory': RESIDENT + (1 - RESIDENT) * min(
                     1.0, proxy.in_flight / CROWD / proxy.slots),
                 'network': min(1.0, served / seconds / self._network)}
        return found | ({'response_time': waited / served} if served else {})
