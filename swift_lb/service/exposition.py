"""The agent's metrics in Prometheus' text; doc/metrics.md is held against AGENT by a test."""
from swift_lb.service.prometheus import PrometheusText

PREFIX = 'swift_lb_agent_'
# name: (its labels, what it says)
COUNTERS = {
    'reports_accepted': ((), 'reports of other nodes that were taken'),
    'reports_refused': (('reason',), 'datagrams that were not, by reason'),
    'datagrams_sent': ((), 'reports sent, one to each node'),
    'bytes_sent': ((), 'of these, without the headers of UDP and IP'),
    'datagrams_received': ((), "datagrams that came to the agent's port, whoever sent them"),
    'bytes_received': ((), 'of these, likewise'),
    'unsent': ((), 'reports that the host could not send'),
    'alerts': ((), 'times this node told at once that it is critical'),
}
GAUGES = {
    'nodes': (('state',), 'nodes that have been heard, by state'),
    'generation': ((), 'of the instruction'),
    'expires_in_seconds': ((), 'until the instruction holds no more'),
    'panic': ((), '1 while all nodes are treated as up, as most look bad'),
    'faults': ((), 'parts of the agent that are at fault now'),
    'metric': (('metric',), 'what the sensors of this node say, dampened'),
    'node_load': (('node',), 'what a node is judged by'),
    'node_dns_share': (('node',), 'share of the new clients'),
    'node_keep': (('node',), 'fraction of the requests it receives that a node serves itself'),
    'node_take': (('node',), 'share of what others delegate'),
    'node_report_age_seconds': (('node',), "since a node's last report came"),
    'node_clock_skew_seconds': (('node',), "how far a node's clock is ahead of ours"),
}


class Exposition:
    """The text, made when it is asked for."""

    def __init__(self, agent, traffic, clock):
        """`traffic` is a Mesh's."""
        self._agent, self._traffic, self._clock = agent, traffic, clock
        self._text = PrometheusText(PREFIX, COUNTERS, GAUGES, self._values)

    def __call__(self):
        """Return the text, as bytes."""
        return self._text()

    def _values(self):
        return dict(self._counted()) | dict(self._measured(self._clock()))

    def _counted(self):
        inbox = self._agent.inbox
        yield 'reports_accepted', [((), inbox.accepted)]
        yield 'reports_refused', [((why,), count) for why, count in inbox.refused.items()]
        yield 'alerts', [((), self._agent.alerts)]
        for name, count in self._traffic.items():
            yield name, [((), count)]

    def _measured(self, now):
        agent = self._agent
        states = list(agent.states(now).values())
        yield 'nodes', [((state,), states.count(state)) for state in set(states)]
        yield 'faults', [((), len(agent.faults))]
        yield 'metric', [((name,), value) for name, value in agent.monitor.metrics.items()]
        yield 'node_report_age_seconds', [((name,), now - heard.at) for name, heard
                                          in agent.inbox.reports.items()]
        yield 'node_clock_skew_seconds', [((name,), skew) for name, skew
                                          in agent.inbox.skews.items()]
        yield from self._instructed(agent.instruction, now)

    def _instructed(self, instruction, now):
        parts = instruction.nodes if instruction else ()
        yield 'generation', [((), instruction.generation)] if instruction else []
        yield 'expires_in_seconds', [((), instruction.expires_at - now)] if instruction else []
        yield 'panic', [((), int(bool(instruction and instruction.panic)))]
        yield 'node_load', [((part.node,), part.load) for part in parts if part.load is not None]
        for name, field in (('node_dns_share', 'dns'), ('node_keep', 'keep'),
                            ('node_take', 'take')):
            yield name, [((part.node,), getattr(part, field)) for part in parts]
