"""Dispatchers: which part of its requests each node keeps, and which nodes take the rest. Pure.

Each second, a node with more load than the mean is to serve a little less, and a node with less
load a little more:

    r = sqrt(L)                             R = mean of all r
    limit = sqrt(1 + band) R
    above   r > limit                       imbalance = (limit - r) / (limit + r)
    below   r' < R                          imbalance = (R - r') / (R + r')
    else                                    imbalance = 0

    flow += PACE x imbalance x rate         keep = 1 + flow / received, where flow < 0
                                            take in proportion to flow, where flow > 0

    L, r'       a node's load, in the unit of plan/load.py; r' is the root of L raised by what may
                have been delegated to the node since its report
    band        an option: the fraction by which a load may exceed the mean before a node delegates
    rate        requests per second that the node serves; received = rate - flow
    flow        requests per second delegated to the node less those that it delegates, as
                instructed (plan/flows.py): the memory of this loop

The loop does not use the measured flow: a correction shows in reports only some seconds later, and
would be made again until then. The instructed flow is right for dispatchers that obey keep and
take, policy `tllb`; for other policies keep and take mean nothing.

An imbalance is between -1 and 1, so no node's flow changes by more than PACE of its rate at once,
however wrong a load is. Where requests queue, a load grows with their square; hence the root, with
which one node's enormous load does not make all other nodes look idle.

A node that delegates also approaches, by EASE, the flow that its load alone calls for. Where a
report needs longer than an interval, each plan is made from the one before the last, so that there
are two series of plans, which could keep different flows for ever. With EASE they agree again after
half a minute.
"""
import math

from swift_lb.plan.flows import instructed_flows, received
from swift_lb.plan.load import debited
from swift_lb.plan.shares import mean, rounded, shared_out, with_floor

PACE = 0.2          # fraction of its rate by which a node's flow changes at most
EASE = 0.03         # of the difference to the flow that its load alone calls for


def imbalances(reports, load, options):
    """Return {name: how much less (< 0) or more (> 0) each node should serve, from -1 to 1}.

    `load` is {name: load} of the nodes that sent `reports`.
    """
    mean_root = mean(math.sqrt(load[report.node]) for report in reports)
    after = debited(reports, load)
    return {report.node: imbalance(math.sqrt(load[report.node]), math.sqrt(after[report.node]),
                                   mean_root, options.band) for report in reports}


def imbalance(root, debited_root, mean_root, band):
    """Return how much less (< 0) or more (> 0) one node should serve, from -1 to 1.

    `root` is the square root of its load, `debited_root` that of its load plus what was delegated
    to it since its report, `mean_root` the mean of all nodes' roots, `band` the fraction tolerated.
    """
    limit = math.sqrt(1 + band) * mean_root
    if root > limit:
        return (limit - root) / (limit + root)
    return max(0.0, (mean_root - debited_root) / (mean_root + debited_root))


def delegation(reports, rates, imbalance_of, takers, options):
    """Return ({name: fraction kept}, {name: share of what is delegated}) of `reports`.

    `rates` are {name: requests per second}, `imbalance_of` is {name: how much less (< 0) or more
    (> 0) the node should serve, from -1 to 1}. Only nodes in `takers` get a share. If nothing is to
    be delegated, or no taker should serve more, both results are empty.
    """
    flow = instructed_flows(reports, rates)
    keep, gains = {}, {}
    for report in reports:
        name = report.node
        from_clients = received(name, rates, flow)
        following = (eased(flow[name], from_clients, imbalance_of[name])
                     + PACE * imbalance_of[name] * rates[name])
        keep[name] = kept(following, from_clients, options.floor)
        if following > 0 and name in takers:
            gains[name] = following * report.ramp
    if not gains or not any(fraction < 1 for fraction in keep.values()):
        return {}, {}
    return keep, shared_out(with_floor(gains, options.floor))


def eased(flow, from_clients, wish):
    """Return the flow of a node that delegates, moved a step towards what its load calls for.

    A flow is what is delegated to a node minus what it delegates, so it is < 0 for such a node;
    from 0 on it is returned unchanged. `wish` is how much less (< 0) or more (> 0) the node should
    serve, from -1 to 1. Flows and `from_clients`, what its clients send, are requests per second.
    """
    if flow >= 0:
        return flow
    aim = min(0.0, 2 * wish / (1 - wish)) if wish < 0 else 0.0      # of keep = R / r, less 1
    return flow + EASE * (aim * from_clients - flow)


def kept(flow, from_clients, floor):
    """Return the fraction of its clients' requests that a node serves itself, at least `floor`.

    `flow` is what is delegated to the node minus what it delegates, `from_clients` what its clients
    send, both in requests per second.
    """
    return rounded(min(1.0, max(floor, 1 + flow / from_clients)))
