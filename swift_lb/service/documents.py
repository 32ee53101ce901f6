"""The documents that an agent serves over HTTP, as JSON-ready data.

Times are seconds, shares are fractions; null is unknown.
"""
import math

from swift_lb import instruction_file
from swift_lb.model import GONE
from swift_lb.plan.reason import reasons
from swift_lb.service.history import POINT_INTERVAL
from swift_lb.wire import instruction as wire

FORMAT = 1
TOLERANCE = 0.3     # of a fraction; more than it changes from one report to the next


def cluster(agent, now):
    """Return the document of /v1/cluster: the state of each node, and what it is to do."""
    plan, instruction = agent.options.plan, agent.instruction
    return {
        'format': FORMAT, 'node': agent.options.node, 'now': now,
        'interval': agent.options.interval, 'rules': plan.rules, 'metric': plan.metric,
        'generation': None if instruction is None else instruction.generation,
        'expires_in': None if instruction is None else instruction.expires_at - now,
        'panic': instruction is not None and instruction.panic,
        'faults': list(agent.faults.values()), 'nodes': nodes(agent, now),
    }


def nodes(agent, now):
    """Return the entry of each node in /v1/cluster, sorted by name."""
    instruction, reports = agent.instruction, agent.inbox.reports
    instructed = {each.node: each for each in instruction.nodes} if instruction else {}
    why = reasons(instruction, reports, now, agent.options.plan) if instruction else {}
    return [node(agent, name, state, now, instructed.get(name), why.get(name, state))
            for name, state in sorted(agent.states(now).items())]


def node(agent, name, state, now, instructed, reason):
    """Return the entry of one node in /v1/cluster; `instructed`: its NodeInstruction or None."""
    report, at = agent.inbox.reports[name]
    entry = {
        'node': name, 'address': agent.address_of(name), 'proxy': report.proxy,
        'state': instructed.state if instructed and state != GONE else state, 'age': now - at,
        'load': None, 'weight': None, 'dns': 0.0, 'keep': 1.0, 'take': 0.0, 'reason': reason,
        'metrics': dict(report.metrics), 'flows': dict(report.flows),
        'clock_skew': agent.inbox.skews.get(name),
        'agrees': None if name == agent.options.node else agrees(
            agent.options.plan, instructed, report, state),
    }
    if instructed:
        entry |= {key: getattr(instructed, key)
                  for key in ('load', 'weight', 'dns', 'keep', 'take')}
    return entry


def agrees(options, instructed, report, state):
    """Return whether a node's own plan instructs it as this node's plan does; None if unknown.

    Its report has the fractions of one interval ago, and loads change all the time, so they only
    have to be within TOLERANCE. A node that plans by other options does not agree.
    """
    if instructed is None or not report.digest or state == GONE:
        return None
    return report.rules == options.digest() and all(
        abs(getattr(report, name) - getattr(instructed, name)) <= TOLERANCE
        for name in ('keep', 'take'))


def history(agent, now, since):
    """Return the document of /v1/history: the points of each node later than `since`."""
    return {'format': FORMAT, 'now': now, 'step': POINT_INTERVAL, 'since': since,
            'nodes': agent.history.since(since)}


def reports(agent, now):
    """Return the document of /v1/reports: the last report of each node, as it was sent."""
    return {'format': FORMAT, 'node': agent.options.node, 'reports': [
        inputs(received.report) | {'age': now - received.at}
        for _name, received in sorted(agent.inbox.reports.items())]}


def instruction(agent):
    """Return the document of /v1/instruction, or None if there is no Instruction."""
    if agent.instruction is None:
        return None
    return wire.document(agent.instruction, instruction_file.boot())


def why(agent, now):
    """Return the document of /v1/why, or None: the inputs, rules and reason of each weight."""
    instruction = agent.instruction
    if instruction is None:
        return None
    reports = {name: received.report for name, received in agent.inbox.reports.items()}
    why = reasons(instruction, agent.inbox.reports, now, agent.options.plan)
    return {
        'format': FORMAT, 'rules': instruction.rules, 'generation': instruction.generation,
        'panic': instruction.panic, 'options': finite(agent.options.plan._asdict()),
        'unknown': agent.monitor.unknown(), 'nodes': [
            dict(each._asdict(), reason=why[each.node], inputs=inputs(reports.get(each.node)))
            for each in instruction.nodes]}


def finite(options):
    """Return {name: value} with 'off' for infinity, which JSON lacks: that threshold is off."""
    return {name: 'off' if value == math.inf else value for name, value in options.items()}


def inputs(report):
    """Return a Report as a dict for JSON; None if it is None."""
    if report is None:
        return None
    return dict(report._asdict(), metrics=dict(report.metrics))
