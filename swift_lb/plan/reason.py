"""Why each node has its shares, as a text for people that is made when somebody asks. Pure."""
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED
from swift_lb.plan import tllb
from swift_lb.plan.decision import members
from swift_lb.plan.shares import mean

WHY = {
    LATE: 'late: its last reports have not come',
    GONE: 'gone: no report has come for long',
    DRAINING: 'drained by hand',
    DISABLED: 'disabled: its proxy does not answer, or its healthcheck says so',
    REJECTED: 'rejected: over the load from which it is not chosen',
    CRITICAL: 'critical: over the load from which it sheds',
}


def reasons(instruction, reports, now, options):
    """Return {node name: text on its state, load and ramp} of all nodes in an Instruction.

    `reports` are {name: Heard}, from which the texts have ramps; `options` are PlanOptions.
    """
    nodes, ramps = instruction.nodes, {}
    if instruction.rules == 'tllb':
        loads = tllb.load_sentences(members(reports, now, options), options)
    else:
        mean_load = mean(node.load for node in nodes if node.load is not None)
        loads = {node.node: f'load {node.load:.3g}, {node.load / mean_load:.0%} of the mean'
                 for node in nodes if node.load is not None}
        ramps = {name: received.report.ramp for name, received in reports.items()}
    return {node.node: _reason(node, loads.get(node.node), ramps.get(node.node, 1.0),
                               instruction.panic) for node in nodes}


def _reason(node, load, ramp, panic):
    clauses = [WHY[node.state]] if node.state in WHY else []
    if load is not None:
        clauses.append(load)
    if ramp < 1:
        clauses.append(f'cold: {ramp:.0%} of its weight')
    if node.keep < 1:
        clauses.append(f'delegates {1 - node.keep:.0%}')
    if panic:
        clauses.append('panic: most look bad, so all are treated as up')
    return '; '.join(clauses)
