"""The agent of a simulated proxy: each interval it measures, reports, and plans.

An agent has its own report at once, and the reports of other agents after `delay` seconds. So each
plans from its own view, and its dispatcher and its DNS follow its own Instruction.
"""
import math

from swift_lb.model import UP, Heard, NodeInstruction, Report
from swift_lb.plan.decision import make_instruction
from swift_lb.plan.flows import HANDED_ON
from swift_lb.plan.forecast.loads import LoadForecasts
from swift_lb.plan.knee import Knee
from swift_lb.plan.plan import FIRST_ROUND, plan, with_memory
from swift_lb.plan.smoothing import Rates, dampened
from swift_lb.wire.node_report import largest
from swift_lb.zone.targets import OverloadDelay, targets

STATIC = 'static'
FIT = 2.0       # times the requests that a proxy's slots serve, its network carries
RESIDENT = 0.3  # of the memory, with nothing to do; the rest fills as requests wait
CROWD = 20.0    # requests for each slot that fill it


class LoopAgent:
    """The simulated agent of one proxy; its creator must set `peers`, the agents of all proxies."""

    def __init__(self, setting, sensor, agenda, options):
        """Take the Setting, a ProxySensor, the Agenda, and PlanOptions, or None for round robin."""
        self.proxy, self.instruction, self.peers = sensor.proxy, None, ()
        self._setting, self._agenda, self._options = setting, agenda, options
        self._plan = plan if options else round_robin
        self._sensor = sensor
        self._reports = {}      # name -> Heard
        self._delay, self._tolerated = OverloadDelay(setting.ttl), ()

    def tick(self, _nothing):
        """Measure, report and plan, once an interval; while its proxy hangs, do nothing."""
        now = self._agenda.now
        self._agenda.at(now + self._setting.interval, self.tick, None)
        if self.proxy.hung:
            return
        own = self.instruction and self.instruction.of(self.proxy.name)
        report = self._sensor.report(now, own, self.instruction)
        for peer in self.peers:
            if peer is not self:
                self._agenda.at(now + self._setting.delay, peer.receive, report)
        self.receive(report)
        first_round = FIRST_ROUND * self._setting.interval
        if len(self._reports) == len(self.peers) or now >= first_round:
            self.instruction = self._plan(self._reports, self.instruction, now, self._options)
        self._tolerated = self._delay.tolerated(self.instruction, now)

    def targets(self):
        """Return the Targets, the shares of nodes, by which the DNS of this node answers now."""
        names = [peer.proxy.name for peer in self.peers]
        return targets(self.instruction, names, self._tolerated)

    def receive(self, report):
        """Keep a Report, of this node or another, and the instant of its receipt, for tick()."""
        self._reports[report.node] = Heard(report, self._agenda.now)


def round_robin(reports, _previous, now, _options):
    """Return the Instruction of the rules `static`: equal shares for all nodes that ever reported.

    It never expires. It states equal loads, so that dispatchers which use expected times try
    every node.
    """
    names = sorted(reports)
    return make_instruction(1, now + 1e9, STATIC, False, tuple(
        NodeInstruction(name, f'{name}:8080', UP, 1.0, 1.0, 1 / len(names), 1.0, 0.0)
        for name in names), STATIC)


class ProxySensor:
    """Measures one simulated proxy each interval, and makes its Report."""

    def __init__(self, proxy, setting, service, delegated, forecast=()):
        """Take the Proxy, the Setting, and the mean `service` time of a request, in seconds.

        `delegated` is {node: requests that the node has served for this proxy's
        dispatcher}, which grows while the simulation runs; None without a dispatcher. `forecast`
        are the metrics that it forecasts.
        """
        self.proxy, self._setting = proxy, setting
        self._delegated, self._rates = delegated, Rates()
        self._network = FIT * proxy.slots / service
        self._knee, self._forecasts = Knee(), LoadForecasts(forecast)
        self._metrics, self._before = {}, (0, 0.0, 0.0)
        self._sequence = 0

    def report(self, now, own, instruction):
        """Return the Report at `now`; `own` is the proxy's NodeInstruction of `instruction`.

        Both are None before the first Instruction.
        """
        self._sequence += 1
        raw, before = self._measured(), self._metrics
        self._metrics = {name: dampened(before.get(name), value, self._setting.dampening)
                         for name, value in raw.items()}
        self._knee.update(raw['in_flight'], raw['requests'])
        report = Report(self.proxy.name, 1, self._sequence, now, self._setting.interval,
                        self._metrics | self._forecasts.after(self._metrics),
                        f'{self.proxy.name}:8080')
        if self._delegated is not None:
            rates = self._rates.at(now, dict(self._delegated))
            report = report._replace(
                metrics=report.metrics | {HANDED_ON: math.fsum(rates.values())},
                flows=largest(rates))
        if self._setting.knees:
            report = report._replace(reject=self._knee.reject, critical=self._knee.critical)
        return with_memory(report, own, instruction)

    def _measured(self):
        proxy, seconds = self.proxy, self._setting.interval
        last, self._before = self._before, (proxy.served, proxy.waited, proxy.worked())
        served, waited, worked = (new - old for new, old in zip(self._before, last, strict=True))
        metrics = {'in_flight': proxy.in_flight, 'requests': served / seconds,
                   'cpu': worked / seconds / proxy.slots,
                   'memory': RESIDENT + (1 - RESIDENT) * min(
                       1.0, proxy.in_flight / CROWD / proxy.slots),
                   'network': min(1.0, served / seconds / self._network)}
        return metrics | ({'response_time': waited / served} if served else {})
