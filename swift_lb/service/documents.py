"""The documents that an agent serves over HTTP, as JSON-ready data.

Times are seconds, shares are fractions; null is unknown.
"""
import math

from swift_lb import instruction_file
from swift_lb.dispatch.clusters import alive
from swift_lb.model import GONE, UP
from swift_lb.plan.reason import reasons
from swift_lb.service.history import POINT_INTERVAL
from swift_lb.service.part_rates import together
from swift_lb.version import version
from swift_lb.wire import instruction as wire

FORMAT = 1
TOLERANCE = 0.3     # of a fraction; more than it changes from one report to the next


def cluster(agent, now):
    """Return the document of /v1/cluster: each node's state, load, and shares of requests."""
    plan, instruction, listed = agent.options.plan, agent.instruction, nodes(agent, now)
    return {
        'format': FORMAT, 'version': version(), 'node': agent.options.node, 'now': now,
        'interval': agent.options.interval, 'rules': plan.rules, 'metric': plan.metric,
        'generation': None if instruction is None else instruction.generation,
        'expires_in': None if instruction is None else instruction.expires_at - now,
        'panic': instruction is not None and instruction.panic,
        'faults': list(agent.faults.values()), 'nodes': listed,
        'images': together([one['metrics'] for one in listed if one['state'] != GONE]),
    }


def clusters(agent, now):
    """Return the document of /v1/clusters: what this agent knows of the other clusters.

    `here` is the name of its own cluster, None without [lb-cluster].
    """
    exchange = agent.clusters
    known = exchange and exchange.clusters(now)
    living = alive(known, now)
    listed = [] if exchange is None else [
        other_cluster(name, known, name in living, exchange.credits.get(name, 0.0), now)
        | exchange.observed.sent.of(name, now)._asdict()
        for name in sorted({*exchange.options.others, *known.others})]
    return {'format': FORMAT, 'node': agent.options.node, 'here': known and known.here,
            'cut_off': bool(known and known.others) and not living, 'clusters': listed,
            'accepted': exchange.inspected.accepted if exchange else 0,
            'refused': dict(exchange.inspected.refused) if exchange else {}}


def other_cluster(name, known, is_alive, granted, now):
    """Return the entry of the cluster `name` in /v1/clusters, a dict.

    `known` are the Clusters of this agent, `granted` the requests per second that its cluster takes
    from there. Rates are bytes per second; `image` is an ImageState as a dict.
    """
    heard, link = known.others.get(name), known.links.get(name)
    entry = dict.fromkeys(('age', 'nodes', 'load', 'least_load', 'region', 'credit', 'rtt',
                           'rtt_error', 'lost', 'bandwidth', 'bandwidth_error', 'image'))
    entry |= {'cluster': name, 'state': UP if is_alive else GONE, 'url': '', 'relays': [],
              'granted': granted, 'times': {
                  content: one.seconds for content, one in known.times.get(name, {}).items()}}
    if heard is not None:
        summary = heard.summary
        entry |= {'age': now - heard.at, 'nodes': summary.nodes, 'load': summary.load,
                  'least_load': summary.least_load, 'url': summary.url,
                  'relays': list(summary.relays), 'region': summary.region,
                  'credit': dict(summary.credits).get(known.here, 0.0),
                  'image': summary.image and summary.image._asdict()}
    if link is not None:
        entry |= {'rtt': link.rtt, 'rtt_error': link.error, 'lost': link.lost,
                  'bandwidth': link.bandwidth, 'bandwidth_error': link.bandwidth_error}
    return entry


def nodes(agent, now):
    """Return a list of the entries of all nodes in /v1/cluster, sorted by name."""
    instruction, reports = agent.instruction, agent.inbox.reports
    instructed = {each.node: each for each in instruction.nodes} if instruction else {}
    why = reasons(instruction, reports, now, agent.options.plan) if instruction else {}
    return [node(agent, name, state, now, instructed.get(name), why.get(name, state))
            for name, state in sorted(agent.states(now).items())]


def node(agent, name, state, now, instructed, reason):
    """Return the entry of the node `name` in /v1/cluster, a dict.

    `instructed` is its NodeInstruction, or None if the Instruction does not name the node.
    """
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
    """Return whether another node's plan for itself is this node's plan for it; None if unknown.

    `report`, the other node's, has `keep` and `take` as it planned them one interval before. They
    must be within TOLERANCE of those in `instructed`, this node's NodeInstruction for the other,
    and its options of the plan must be `options`. None if its `state` is GONE.
    """
    if instructed is None or not report.digest or state == GONE:
        return None
    return report.rules == options.digest() and all(
        abs(getattr(report, name) - getattr(instructed, name)) <= TOLERANCE
        for name in ('keep', 'take'))


def history(agent, now, since):
    """Return the document of /v1/history: each node's load and shares after the instant `since`."""
    return {'format': FORMAT, 'now': now, 'step': POINT_INTERVAL, 'since': since,
            'nodes': agent.history.since(since)}


def reports(agent, now):
    """Return the document of /v1/reports: each node's last report, and its age in seconds."""
    return {'format': FORMAT, 'node': agent.options.node, 'reports': [
        inputs(received.report) | {'age': now - received.at}
        for _name, received in sorted(agent.inbox.reports.items())]}


def instruction(agent):
    """Return the document of /v1/instruction, or None before the first Instruction."""
    if agent.instruction is None:
        return None
    return wire.document(agent.instruction, instruction_file.boot())


def why(agent, now):
    """Return the document of /v1/why: the inputs, rules and reason of each node's weight.

    None before the first Instruction.
    """
    instruction = agent.instruction
    if instruction is None:
        return None
    reports = {name: received.report for name, received in agent.inbox.reports.items()}
    why = reasons(instruction, agent.inbox.reports, now, agent.options.plan)
    return {
        'format': FORMAT, 'rules': instruction.rules, 'generation': instruction.generation,
        'panic': instruction.panic, 'options': finite(agent.options.plan._asdict()),
        'unknown': agent.monitor.unknown() | agent.decoders.unknown(), 'nodes': [
            dict(each._asdict(), reason=why[each.node], inputs=inputs(reports.get(each.node)))
            for each in instruction.nodes]}


def finite(options):
    """Return plan options as a dict for JSON, where 'off' (no threshold) replaces infinity."""
    return {name: 'off' if value == math.inf else value for name, value in options.items()}


def inputs(report):
    """Return a Report as a dict for JSON, or None if `report` is None."""
    if report is None:
        return None
    return dict(report._asdict(), metrics=dict(report.metrics))
