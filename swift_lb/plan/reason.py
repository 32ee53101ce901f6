"""Why each node has its shares, in a sentence: for who asks, and not with each plan. Pure."""
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED
from swift_lb.plan import tllb
from swift_lb.plan.membership import members
from swift_lb.plan.shares import mean

WHY = {
    LATE: 'late: its last reports have not come',
    GONE: 'gone: nothing has come for long',
    DRAINING: 'drained by hand',
    DISABLED: 'disabled: its proxy does not answer, or its healthcheck says so',
    REJECTED: 'rejected: over the load from which it is not chosen',
    CRITICAL: 'critical: over the load from which it sheds',
}


def reasons(instruction, reports, now, options):
    """Return {node: sentence} of each part of an Instruction that was made of {name: Heard}."""
    if instruction.rules == 'tllb':
        loads = tllb.why(members(reports, now, options), options)
    else:
        usual = mean(part.load for part in instruction.parts if part.load is not None)
        loads = {part.node: f'load {part.load:.3g}, {part.load / usual:.0%} of the mean'
                 for part in instruction.parts if part.load is not None}
    ramps = {} if instruction.rules == 'tllb' else {
        name: heard.report.ramp for name, heard in reports.items()}
    return {part.node: reason(part, loads.get(part.node), ramps.get(part.node, 1.0),
                              instruction.panic) for part in instruction.parts}


def reason(part, load, ramp, panic):
    """Return the sentence on a Part: `load` in words, or None, and the fraction that is due."""
    said = [WHY[part.state]] if part.state in WHY else []
    if load is not None:
        said.append(load)
    if ramp < 1:
        said.append(f'cold: {ramp:.0%} of its weight')
    if part.keep < 1:
        said.append(f'delegates {1 - part.keep:.0%}')
    if panic:
        said.append('panic: most look bad, so all are treated as up')
    return '; '.join(said)
