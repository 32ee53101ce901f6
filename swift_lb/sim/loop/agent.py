"""A node's agent as the real one works: each second it measures, reports, plans, and is told.

Its own report it has at once, those of others take `delay` seconds: so every node plans by its own
view, and dispatches and answers DNS by its own Instruction.
"""
from swift_lb.model import Heard
from swift_lb.plan.plan import plan
from swift_lb.sim.loop.round_robin import round_robin
from swift_lb.zone.patience import Patience
from swift_lb.zone.targets import targets

STATIC = 'static'
FIRST_ROUND = 4.0       # intervals that the first Instruction waits for who has not been heard


class Agent:
    """The agent of one proxy; `peers`, all agents, is to be set."""

    def __init__(self, setting, sensor, agenda, options):
        """`options` are those of the plan, None for static."""
        self.proxy, self.instruction, self.peers = sensor.proxy, None, ()
        self._setting, self._agenda, self._options = setting, agenda, options
        self._plan = plan if options else round_robin
        self._sensor = sensor
        self._heard = {}
        self._patience, self._forgiven = Patience(setting.ttl), ()

    def tick(self, _nobody):
        """Measure, report and plan, and come back after an interval; who hangs does nothing."""
        now = self._agenda.now
        self._agenda.at(now + self._setting.interval, self.tick, None)
        if self.proxy.hung:
            return
        told = self.instruction and self.instruction.of(self.proxy.name)
        report = self._sensor.report(now, told, self.instruction)
        for peer in self.peers:
            if peer is not self:
                self._agenda.at(now + self._setting.delay, peer.hear, report)
        self.hear(report)
        if len(self._heard) == len(self.peers) or now > FIRST_ROUND * self._setting.interval:
            self.instruction = self._plan(self._heard, self.instruction, now, self._options)
        self._forgiven = self._patience.forgiven(self.instruction, now)

    def targets(self):
        """Return the Targets that the node's DNS answers by."""
        names = [peer.proxy.name for peer in self.peers]
        return targets(self.instruction, names, self._forgiven)

    def hear(self, report):
        """Take a Report."""
        self._heard[report.node] = Heard(report, self._agenda.now)
