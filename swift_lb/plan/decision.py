"""The only rules of a node's state, of panic, and of which nodes DNS and dispatchers use. Pure.

    late    no report for more than `late_after` report intervals
    gone    no report for more than `gone_after` report intervals

    panic   more than half of the nodes look bad: that a plan sees badly is likelier than that so
            many nodes fail
    blind   more than half of the nodes are silent: that reports get lost is likelier, too

                    in DNS                          askable by dispatchers
    up              yes                             yes
    rejected        no; in a panic yes              yes; in a panic as if it were up
    critical        as rejected                     as rejected
    late, gone      no; in a panic, if blind, yes   no
    draining        no                              no
    disabled        no                              no

A panic can also mean that most nodes are over their thresholds. These are then wrong, or all nodes
are overloaded alike. Silent nodes are down nevertheless, so DNS uses them only if `blind`.
"""
from typing import NamedTuple

from swift_lb.model import (
    CRITICAL,
    DISABLED,
    DRAINING,
    GONE,
    LATE,
    REJECTED,
    UP,
    Instruction,
    Report,
)

OVERLOADED = REJECTED, CRITICAL     # over a threshold
NOT_HEARD = LATE, GONE
OFF_DUTY = DRAINING, DISABLED
MEMORY = 60.0   # seconds for which a node that is gone still counts for panic: a TTL of DNS


class Member(NamedTuple):
    """A node that is in the cluster, or was until some seconds ago."""

    report: Report
    state: str          # UP, LATE, GONE, DRAINING or DISABLED

    @property
    def name(self):
        """The name of the node, from its report."""
        return self.report.node


def members(reports, now, options):
    """Return a list of Members, sorted by name, without gone nodes last heard over 60 s ago.

    `reports` are {name: (Report, the instant at which it came)}, `options` are PlanOptions.
    """
    counted = []
    for _name, (report, at) in sorted(reports.items()):
        state = state_of(report, now - at, options)
        if state != GONE or now - at <= MEMORY:
            counted.append(Member(report, state))
    return counted


def state_of(report, age, options):
    """Return UP, LATE, GONE, DRAINING or DISABLED: by a node's last `report`, `age` seconds old."""
    if age > options.gone_after * report.interval:
        return GONE
    if age > options.late_after * report.interval:
        return LATE
    return report.state if report.state in (DRAINING, DISABLED) else UP


def panics(states):
    """Return whether more than half of the nodes with these `states` look bad, which means: not up.

    Drained and disabled nodes are so on purpose: they count only if there are no others.
    """
    states = list(states)
    counted = [state for state in states if state not in OFF_DUTY]
    if not counted:
        return bool(states)
    return 2 * sum(state != UP for state in counted) > len(counted)


def is_blind(states):
    """Return whether more than half of the nodes with these `states` are silent: late or gone."""
    return panics(UP if state in OVERLOADED else state for state in states)


def with_share(states, panic):
    """Return the set of the names in `states`, {name: state}, that get a share of new clients.

    A node over a threshold gets one, since DNS leaves it out only after a while. In a panic every
    node gets one, but drained and disabled nodes only if there are no others.
    """
    if panic:
        return {name for name, state in states.items() if state not in OFF_DUTY} or set(states)
    return {name for name, state in states.items() if state == UP or state in OVERLOADED}


def make_instruction(generation, expires_at, rules, panic, nodes, digest):
    """Return the Instruction of these fields; it also says which nodes DNS and dispatchers may use.

    `nodes` is a tuple of NodeInstructions; the table at the top of the module has the rules.
    """
    states = {node.node: node.state for node in nodes}
    fine = {UP}
    if panic:
        fine.update(OVERLOADED)
        if is_blind(states.values()):
            fine.update(NOT_HEARD)
    return Instruction(
        generation, expires_at, rules, panic, nodes, digest,
        frozenset(name for name, state in states.items() if state in fine),
        {name: UP if panic else state for name, state in states.items()
         if state == UP or state in OVERLOADED})
