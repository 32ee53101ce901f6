"""Why a node has the shares that it has, in one sentence. Pure."""
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED

WHY = {
    LATE: 'late: its last reports have not come',
    GONE: 'gone: nothing has come for long',
    DRAINING: 'drained by hand',
    DISABLED: "disabled: its proxy's healthcheck says so",
    REJECTED: 'rejected: over the load from which it is not chosen',
    CRITICAL: 'critical: over the load from which it sheds',
}


def reason(report, state, load, usual, keep, panic):
    """Return the sentence on who has sent `report`: its load, or None, and the mean of all."""
    said = [WHY[state]] if state in WHY else []
    if load is not None:
        said.append(f'load {load:.3g}, {load / usual:.0%} of the mean')
    if report.ramp < 1:
        said.append(f'cold: {report.ramp:.0%} of its weight')
    if keep < 1:
        said.append(f'delegates {1 - keep:.0%}')
    if panic:
        said.append('panic: most look bad, so all are treated as up')
    return '; '.join(said)
