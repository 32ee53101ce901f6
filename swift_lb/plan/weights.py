"""DNS: what each node deserves of the new clients, slowly. Pure.

    correction  c = sqrt(rate / received) x (1 + need / 2)      1 while it is off by < hysteresis
    target      w x c + RECALL x (1 - w)                        w += (target - w) x interval / tau

    rate, need              as in plan/delegation.py
    received                rate - flow, what clients send to it; flow is what dispatchers have been
                            seen to hand on (plan/flows.py), not what they were told to
    share                   w x ramp, of which the fraction `floor` is shared out alike: everybody
                            is probed

A weight follows what dispatchers had to correct, not load. What a node serves is decided by them,
within seconds, whatever DNS says; so DNS is not in that loop, and the minutes for which caches hold
an answer can not make it oscillate. What dispatchers did is their own count, whatever policy they
have; that it is some seconds old is nothing in tau. What a node received is a consequence of
weights a TTL ago: that is the delay in this loop, and half the correction (the root) in tau is slow
enough for a TTL of 300 s. Where no dispatcher is seen, flow is what was told, a memory of load.

Who needs no correction is, in the long run, like all others (RECALL): noise does not add up.
"""
import math

from swift_lb.plan.delegation import received
from swift_lb.plan.shares import bounded, mean, rounded, shared_out, with_floor

HASTE = 0.01        # fraction that a weight changes at most, in a second
RECALL = 0.1        # of what makes a weight change, what makes it like the others
MOST = 2.0          # a node serves so many times what it receives: more is not followed


def followed(reports, rates, flow, need, options):
    """Return {name: weight}, the largest 1: that of the reports, a step nearer to their targets.

    `flow` is plan/flows.py's, of all names in `rates`. Who has no weight has the mean of the
    others'; 0 is what `tllb` leaves to who was drained.
    """
    usual = mean(report.weight for report in reports if report.weight) or 1.0
    weights = {}
    for report in reports:
        name, weight = report.node, report.weight or usual
        change = RECALL * (1 - weight)
        if name in rates:
            part = min(MOST, rates[name] / received(name, rates, flow))
            change += weight * (corrected(part, need[name], options.hysteresis) - 1)
        weights[name] = weight + stepped(change, weight, report.interval, options)
    most = max(weights.values(), default=1.0)
    return {name: rounded(weight / most) for name, weight in bounded(
        weights, options.ratio).items()}


def corrected(part, need, hysteresis):
    """Return by what to multiply the weight of who serves `part` of what it receives."""
    found = math.sqrt(part) * (1 + need / 2)
    return 1.0 if abs(found - 1) < hysteresis else found


def stepped(change, weight, seconds, options):
    """Return how far `weight` goes, of `change`, in `seconds`."""
    most = HASTE * seconds * weight
    return min(max(change * min(1.0, seconds / options.tau), -most), most)


def clients_of(reports, weights, chosen, options):
    """Return {name: share of the new clients}."""
    ramped = {report.node: weights[report.node] * report.ramp
              for report in reports if report.node in chosen}
    return shared_out(with_floor(ramped, options.floor))
