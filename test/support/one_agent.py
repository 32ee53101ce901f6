"""An Agent without a process; the test sets its clocks, sensors and datagrams."""
from swift_lb.plan.forecast.loads import forecast_metrics
from swift_lb.plan.knee import Knee
from swift_lb.plan.options import DEFAULTS
from swift_lb.service.agent import Agent
from swift_lb.service.monitor import LoadMonitor
from swift_lb.service.options import AgentOptions

KEY = 'a key that all nodes have'
BEGUN, WALL = 5000.0, 1_700_000_000.0       # first readings of the monotonic and the wall clock


class SetSensor:
    """A sensor that returns, or raises, the value that a test sets."""

    fault = 'the test set no value'

    def __init__(self, value=None):
        self.value = value

    def read(self, _now):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class OneAgent:
    """An Agent named `node`; `now` is its time in seconds, `log` a list of (part, sentence)."""

    def __init__(self, directory, node='node-1', now=BEGUN, configured=(), rules='balanced',
                 values=(), **options):
        self.now, self.log = now, []
        self.sensors = {name: SetSensor(value) for name, value in dict({
            'cpu': 0.5, 'memory': 0.5, 'network': 0.5, 'in_flight': 5.0, 'requests': 50.0,
            'response_time': 0.1}, **dict(values)).items()}
        self.options = AgentOptions(**{
            'node': node, 'key': KEY, 'instruction_file': str(directory / f'{node}.json'),
            'dampening': 0.0, 'plan': DEFAULTS._replace(rules=rules), **options})
        monitor = LoadMonitor(
            self.sensors, {}, self.options.dampening, lambda *_args: None,
            forecast=forecast_metrics(self.options.forecast, self.options.plan))
        self.agent = Agent(self.options, monitor, Knee(), lambda: self.now, self.wall,
                           lambda part, sentence: self.log.append((part, sentence)))
        self.agent.neighbours.configured, self.agent.resolved = tuple(configured), True

    def wall(self):
        """Return the Agent's wall clock, in seconds since 1970: it advances with `now`."""
        return WALL + self.now - BEGUN

    def tick(self, seconds=1.0):
        """Let `seconds` pass, then call Agent.tick; return the datagram, bytes, that it sends."""
        self.now += seconds
        return self.agent.tick(self.now)

    def part(self, node=None):
        """Return the NodeInstruction of `node`, default its own, in the Agent's Instruction."""
        return self.agent.instruction.of(node or self.options.node)

    def receive(self, other, datagram=None):
        """Receive `datagram`, by default the last of OneAgent `other`; return if it was kept."""
        number = int(other.options.node.rpartition('-')[2])
        datagram = other.agent.datagram if datagram is None else datagram
        return self.agent.receive([(datagram, (f'10.0.0.{number}', 6208))]) == (1, 1)


def round_of(agents, seconds=1.0):
    """Let each of `agents` tick after `seconds`, receive the others' reports, and then plan."""
    for one in agents:
        one.tick(seconds)
    for one in agents:
        for other in agents:
            if other is not one:
                one.receive(other)
    for one in agents:
        one.agent.plan(one.now)
