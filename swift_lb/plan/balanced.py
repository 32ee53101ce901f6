"""`balanced`: two loops, DNS that follows slowly and dispatchers that follow fast. Pure.

Dispatchers find out within seconds what each node can serve (plan/delegation.py). DNS answers stay
in caches for a minute and longer, so DNS must not follow what happens within a minute: it follows
what the dispatchers have had to correct, so that less and less is left to correct
(plan/weights.py).

DNS uses what dispatchers were measured to delegate (plan/flows.py), those of drained nodes
included, since clients still come there; a late report does not count. Only dispatchers that obey
keep and take are told what to delegate: for them the plan uses what they were told before.

All memory (weight, keep, take, the state a node was told) comes with the node's own report, so that
all nodes plan from the same. A node that is late, drained or disabled gets nothing new. Nothing is
delegated to a node over a threshold from then on; if it is critical, it also delegates. Its DNS
weight goes down slowly, as all weights move: an overload comes and goes faster than caches forget,
and with wrong thresholds, as in Cygnus' Figure 10, each half of the nodes would have all clients in
turn. DNS leaves a node out when it has been over a threshold for as long as a cache keeps an answer
(zone/targets.py). In a panic (plan/decision.py) thresholds do not count; where most nodes are
silent, no node is told to delegate.
"""
from swift_lb.model import CRITICAL, GONE, REJECTED, UP, NodeInstruction
from swift_lb.plan.decision import NOT_HEARD, is_blind, panics, with_share
from swift_lb.plan.delegation import delegation, imbalances
from swift_lb.plan.flows import instructed_flows, is_measured, measured_flows, served
from swift_lb.plan.load import loads, threshold_states
from swift_lb.plan.shares import mean, rounded
from swift_lb.plan.weights import client_shares, next_weights

SHED = 0.1          # a critical node's imbalance is at most -SHED


def balanced(members, options):
    """Return ([NodeInstruction of each Member, in their order], whether there is panic).

    A Member that is gone has a NodeInstruction only in a panic. `options` are PlanOptions.
    """
    live_reports = [member.report for member in members if member.state == UP]
    load, rates = loads(live_reports, options), served(live_reports)
    thresholds = threshold_states(live_reports, options)
    states = {member.name: thresholds.get(member.name, member.state) for member in members}
    panic = panics(states.values())
    counted = dict.fromkeys(thresholds, UP) if panic else thresholds
    mean_load = mean(load.values())
    imbalance_of = {
        name: limited(imbalance, counted[name], load[name] >= mean_load)
        for name, imbalance in imbalances(live_reports, load, options).items()}
    reports = [member.report for member in members if panic or member.state != GONE]
    weights = next_weights(reports, rates, _flows(members, live_reports, rates), imbalance_of,
                           options)
    clients = client_shares(reports, weights, with_share(states, panic), options)
    takers = {name for name, state in counted.items() if state == UP}
    keep, take = ({}, {}) if is_blind(states.values()) else delegation(
        live_reports, rates, imbalance_of, takers, options)
    return [NodeInstruction(
        report.node, report.proxy, states[report.node],
        rounded(load[report.node]) if report.node in load else None,
        weights[report.node], clients.get(report.node, 0.0), keep.get(report.node, 1.0),
        take.get(report.node, 0.0)) for report in reports], panic


def _flows(members, live_reports, rates):
    received = [member.report for member in members if member.state not in NOT_HEARD]
    if is_measured(received):
        return measured_flows(received, rates)
    return instructed_flows(live_reports, rates)


def limited(imbalance, state, above):
    """Return how much more (> 0) or less (< 0) a node in this `state` should serve, from -1 to 1.

    It is `imbalance`, but at most 0 for a node over a threshold, and at most -0.1 for a critical
    node if `above`: its load is at least the mean.
    """
    if state == CRITICAL and above:
        return min(imbalance, -SHED)
    return min(imbalance, 0.0) if state in (REJECTED, CRITICAL) else imbalance
