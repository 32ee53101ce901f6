"""DNS: the share of new clients that each node deserves; it changes slowly. Pure.

    correction  c = sqrt(rate / received) x (1 + imbalance / 2)     1 if less than hysteresis off 1
    target      w x c + RECALL x (1 - w);   w += (target - w) x interval / tau

    w           the node's DNS weight
    rate        requests per second that the node serves
    received    rate - flow, what clients send to it; flow is measured (plan/flows.py)
    imbalance   how much more it should serve, from -1 to 1 (plan/delegation.py)
    share       w x ramp, of which the fraction `floor` is shared out equally: a probe of every node

A weight follows what dispatchers had to correct, not load. They decide within seconds what a node
serves, whatever DNS answers; so DNS is not in that loop, and the minutes for which caches hold an
answer cannot make it oscillate. The measured flow counts for any policy of dispatchers; that it is
some seconds old does not matter within tau. What a node received is a consequence of weights a TTL
ago: that is the delay in this loop, and half the correction (the root) in tau is slow enough for a
TTL of 300 s. Where no flow is measured, the instructed flow is used, a memory of load.

The weight of a node that needs no correction slowly returns to 1 (RECALL), so that noise does not
add up.
"""
import math

from swift_lb.plan.flows import received
from swift_lb.plan.shares import bounded, mean, rounded, shared_out, with_floor

HASTE = 0.01        # fraction that a weight changes at most, in a second
RECALL = 0.1        # share of the difference to 1 in a weight's target
MAX_RATIO = 2.0     # of what a node serves to what it receives: a larger one is not followed


def next_weights(reports, rates, flow, imbalance_of, options):
    """Return {name: DNS weight}, the largest 1: the weights in the reports, moved a step.

    `rates` are what nodes serve, `flow` what is delegated to them less what they delegate, both
    {name: requests per second}. `imbalance_of` is {name: how much less (< 0) or more the node
    should serve, from -1 to 1}. A node without a weight, or with the 0 that `tllb` leaves to a
    drained node, starts with the mean weight.
    """
    mean_weight = mean(report.weight for report in reports if report.weight) or 1.0
    weights = {}
    for report in reports:
        name, weight = report.node, report.weight or mean_weight
        change = RECALL * (1 - weight)
        if name in rates:
            ratio = min(MAX_RATIO, rates[name] / received(name, rates, flow))
            change += weight * (correction(ratio, imbalance_of[name], options.hysteresis) - 1)
        weights[name] = weight + _step(change, weight, report.interval, options)
    largest = max(weights.values(), default=1.0)
    return {name: rounded(weight / largest) for name, weight in bounded(
        weights, options.ratio).items()}


def correction(ratio, imbalance, hysteresis):
    """Return the factor by which the DNS weight of a node is to change.

    The node serves `ratio` times the requests that its clients send it; `imbalance` is how much
    less (< 0) or more (> 0) it should serve, from -1 to 1. If the factor differs from 1 by less
    than `hysteresis`, it is 1.
    """
    factor = math.sqrt(ratio) * (1 + imbalance / 2)
    return 1.0 if abs(factor - 1) < hysteresis else factor


def _step(change, weight, seconds, options):
    limit = HASTE * seconds * weight
    return min(max(change * min(1.0, seconds / options.tau), -limit), limit)


def client_shares(reports, weights, chosen, options):
    """Return {name: share of new clients}, 1 together, of the nodes in `chosen`, a set of names.

    Shares follow `weights`, {name: DNS weight}; the ramp, below 1 in the Report of a node that has
    just started, lowers its weight.
    """
    ramped = {report.node: weights[report.node] * report.ramp
              for report in reports if report.node in chosen}
    return shared_out(with_floor(ramped, options.floor))
