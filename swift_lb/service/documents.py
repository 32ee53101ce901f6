"""What an agent tells over HTTP, as JSON-ready data: seconds, fractions; null is unknown."""
import math

from swift_lb import instruction_file
from swift_lb.model import GONE
from swift_lb.plan.reason import reasons
from swift_lb.service.history import STEP
from swift_lb.wire import instruction as wire

FORMAT = 1
CLOSE = 0.3         # of a fraction: more than it changes from one report to the next


def cluster(agent, now):
    """Return the document of /v1/cluster: all that is known of each node, and what it is to do."""
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
    """Return what is known of each node, by name."""
    found, heard = agent.instruction, agent.inbox.reports
    parts = {part.node: part for part in found.nodes} if found else {}
    why = reasons(found, heard, now, agent.options.plan) if found else {}
    return [node(agent, name, state, now, parts.get(name), why.get(name, state))
            for name, state in sorted(agent.states(now).items())]


def node(agent, name, state, now, part, reason):
    """Return what is known of the node called `name`, and of its NodeInstruction, or None."""
    report, at = agent.inbox.reports[name]
    address = agent.address_of(name)
    found = {
        'node': name, 'address': address, 'proxy': report.proxy,
        'state': part.state if part and state != GONE else state, 'age': now - at,
        'load': None, 'weight': None, 'dns': 0.0, 'keep': 1.0, 'take': 0.0, 'reason': reason,
        'metrics': dict(report.metrics), 'flows': dict(report.flows),
        'clock_skew': agent.inbox.skews.get(name),
        'agrees': None if name == agent.options.node else agrees(
            agent.options.plan, part, report, state),
    }
    if part:
        found |= {key: getattr(part, key) for key in ('load', 'weight', 'dns', 'keep', 'take')}
    return found


def agrees(options, part, report, state):
    """Return whether a node was told what we would tell it; null of one of which it is not known.

    What it was told is a report old, and loads change all the time, so CLOSE is close enough. Who
    plans by other options does not agree.
    """
    if part is None or not report.digest or state == GONE:
        return None
    return report.rules == options.digest() and all(
        abs(getattr(report, name) - getattr(part, name)) <= CLOSE for name in ('keep', 'take'))


def history(agent, now, since):
    """Return the document of /v1/history."""
    return {'format': FORMAT, 'now': now, 'step': STEP, 'since': since,
            'nodes': agent.history.since(since)}


def reports(agent, now):
    """Return the document of /v1/reports: each node's last, as it was sent."""
    return {'format': FORMAT, 'node': agent.options.node, 'reports': [
        inputs(heard.report) | {'age': now - heard.at}
        for _name, heard in sorted(agent.inbox.reports.items())]}


def instruction(agent):
    """Return the document of /v1/instruction, None where there is none."""
    if agent.instruction is None:
        return None
    return wire.document(agent.instruction, instruction_file.boot())


def why(agent, now):
    """Return the document of /v1/why: each weight's inputs, rule and reason."""
    found = agent.instruction
    if found is None:
        return None
    told = {name: heard.report for name, heard in agent.inbox.reports.items()}
    said = reasons(found, agent.inbox.reports, now, agent.options.plan)
    return {
        'format': FORMAT, 'rules': found.rules, 'generation': found.generation,
        'panic': found.panic, 'options': finite(agent.options.plan._asdict()),
        'unknown': agent.monitor.unknown(), 'nodes': [
            dict(part._asdict(), reason=said[part.node], inputs=inputs(told.get(part.node)))
            for part in found.nodes]}


def finite(options):
    """Return {name: value} for JSON, which knows no infinity: a threshold of that is off."""
    return {name: 'off' if value == math.inf else value for name, value in options.items()}


def inputs(report):
    """Return what of a Report the plan looks at; null of none."""
    if report is None:
        return None
    return dict(report._asdict(), metrics=dict(report.metrics))
