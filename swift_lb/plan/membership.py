"""Who is there: what is to be thought of each node by what was last heard of it. Pure."""
from typing import NamedTuple

from swift_lb.model import DISABLED, DRAINING, GONE, LATE, UP, Report

MEMORY = 60.0   # seconds that a node that is gone still counts for panic: a TTL of DNS


class Member(NamedTuple):
    """A node that is, or was a moment ago, in the cluster."""

    report: Report
    state: str          # UP, LATE, GONE, DRAINING or DISABLED

    @property
    def name(self):
        """The node's name."""
        return self.report.node


def members(reports, now, options):
    """Return the Members of {name: Heard}, by name; who is gone for MEMORY is none any more."""
    found = []
    for _name, (report, at) in sorted(reports.items()):
        state = state_of(report, now - at, options)
        if state != GONE or now - at <= MEMORY:
            found.append(Member(report, state))
    return found


def state_of(report, age, options):
    """Return the state of who has sent `report` `age` seconds ago, and nothing since."""
    if age > options.gone_after * report.interval:
        return GONE
    if age > options.late_after * report.interval:
        return LATE
    return report.state if report.state in (DRAINING, DISABLED) else UP


def panics(states):
    """Return whether more than half look bad, so that it is more likely that we see badly.

    `states` are those of all members. Who is drained or disabled is so on purpose and is not
    counted, unless nobody else is left.
    """
    states = list(states)
    counted = [state for state in states if state not in (DRAINING, DISABLED)]
    if not counted:
        return bool(states)
    return 2 * sum(state != UP for state in counted) > len(counted)
