"""An Agent without its process: its clocks, sensors and datagrams are the test's."""
from swift_lb.plan.knee import Knee
from swift_lb.plan.options import DEFAULTS
from swift_lb.service.agent import Agent
from swift_lb.service.monitor import LoadMonitor
from swift_lb.service.options import AgentOptions

KEY = 'a key that all nodes have'
BEGUN, WALL = 5000.0, 1_700_000_000.0       # what the clocks say at first


class Sensor:
    """Says what it is told to: a number, None, or, if it is an exception, that."""

    fault = 'it was told to say nothing'

    def __init__(self, value=None):
        self.value = value

    def read(self, _now):
        """Return the value, or raise it."""
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class OneAgent:
    """An Agent, the instant that it is there, and what it has said."""

    def __init__(self, directory, node='node-1', now=BEGUN, configured=(), rules='balanced',
                 values=(), **options):
        self.now, self.said = now, []
        self.sensors = {name: Sensor(value) for name, value in dict({
            'cpu': 0.5, 'memory': 0.5, 'network': 0.5, 'in_flight': 5.0, 'requests': 50.0,
            'response_time': 0.1}, **dict(values)).items()}
        self.options = AgentOptions(**{
            'node': node, 'key': KEY, 'instruction_file': str(directory / f'{node}.json'),
            'dampening': 0.0, 'plan': DEFAULTS._replace(rules=rules), **options})
        monitor = LoadMonitor(self.sensors, {}, self.options.dampening, lambda *said: None)
        self.agent = Agent(self.options, monitor, Knee(), lambda: self.now, self.wall,
                           lambda part, sentence: self.said.append((part, sentence)))
        self.agent.neighbours.configured, self.agent.resolved = tuple(configured), True

    def wall(self):
        """Return seconds since 1970, which go on as the other clock does."""
        return WALL + self.now - BEGUN

    def tick(self, seconds=1.0):
        """Let so many seconds pass, and tick; return the datagram."""
        self.now += seconds
        return self.agent.tick(self.now)

    def part(self, node=None):
        """Return the Part of a node, by default this one's."""
        return self.agent.instruction.of(node or self.options.node)

    def hear(self, other, datagram=None):
        """Hear another OneAgent's last datagram, from its name's address; return if it is taken."""
        number = int(other.options.node.rpartition('-')[2])
        datagram = other.agent.datagram if datagram is None else datagram
        heard, taken = self.agent.receive([(datagram, (f'10.0.0.{number}', 6208))])
        assert heard == 1
        return taken == 1


def round_of(those, seconds=1.0):
    """Have all tick, a few milliseconds apart, and hear each other; then have all plan."""
    for one in those:
        one.tick(seconds)
    for one in those:
        for other in those:
            if other is not one:
                one.hear(other)
    for one in those:
        one.agent.plan(one.now)
