"""The state of each node by its last report and that report's age. Pure."""
from typing import NamedTuple

from swift_lb.model import DISABLED, DRAINING, GONE, LATE, UP, Report

MEMORY = 60.0   # seconds for which a node that is gone still counts for panic: a TTL of DNS


class Member(NamedTuple):
    """A node that is in the cluster, or was until some seconds ago."""

    report: Report
    state: str          # UP, LATE, GONE, DRAINING or DISABLED

    @property
    def name(self):
        """The node's name."""
        return self.report.node


def members(reports, now, options):
    """Return the Members of {name: Heard}, by name.

    Nodes silent for longer than MEMORY, and gone, are dropped.
    """
    counted = []
    for _name, (report, at) in sorted(reports.items()):
        state = state_of(report, now - at, options)
        if state != GONE or now - at <= MEMORY:
            counted.append(Member(report, state))
    return counted


def state_of(report, age, options):
    """Return the state of a node whose last report is `report`, received `age` seconds ago."""
    if age > options.gone_after * report.interval:
        return GONE
    if age > options.late_after * report.interval:
        return LATE
    return report.state if report.state in (DRAINING, DISABLED) else UP
