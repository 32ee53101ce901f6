"""Dispatchers: how much of what a node receives it keeps, and who takes the rest. Pure.

Each second, who has more to do than others serves a little less, and who has less a little more:

    r = sqrt(L)                             R = mean of all r
    above   r > sqrt(1 + band) R            need = (sqrt(1 + band) R - r) / (sqrt(1 + band) R + r)
    below   r' < R                          need = (R - r') / (R + r')
    else    need = 0

    flow += PACE x need x rate              keep = 1 + flow / received, where flow < 0
                                            take in proportion to flow, where flow > 0

    L, L'       load, in the unit of plan/load.py; L' with the debit for what was just delegated
    rate        requests per second that the node serves; received = rate - flow
    flow        what is delegated to it less what it delegates, by what it was last told

flow is not measured, though reports say what is (plan/flows.py): it is the memory of this loop, and
what was done is known some seconds later only, in which it would correct again what it has already.
It is true of dispatchers that obey keep and take, policy `tllb`; for others both mean nothing.

need is between -1 and 1, so nobody's part changes by more than PACE at once, however wrong a load
is; a load is in effect squared where requests queue, hence the root, and one node's enormous load
does not make all others look idle. What is told now is seen in a report some seconds later. An
earlier form kept sqrt(mean / L) of what it had kept, up to a quarter less each second: it went from
all to nothing and back before it saw what it had done.

Who delegates also goes back, by EASE, to what its load alone calls for. Where a report takes longer
than an interval, every other plan builds on every other one, and both series would remember what
they like. So they agree again after half a minute.
"""
import math

from swift_lb.plan.load import REQUESTS, debited
from swift_lb.plan.shares import mean, rounded, shared_out, with_floor

PACE = 0.2          # fraction of what a node serves, that it may serve more or less next time
EASE = 0.03         # of what it delegates, that it decides anew
LEAST = 0.1         # of the mean rate: who serves less is reckoned with that, or it gets nothing


def served(reports):
    """Return {name: requests per second that it serves}, more than 0."""
    usual = mean(report.metrics[REQUESTS] for report in reports
                 if REQUESTS in report.metrics) or 1.0
    return {report.node: max(report.metrics.get(REQUESTS, usual), LEAST * usual)
            for report in reports}


def flows(reports, rates):
    """Return {name: requests per second}: what it is delegated, less what it delegates, as told."""
    given = {report.node: rates[report.node] * (1 / report.keep - 1) if report.keep > 0 else 0.0
             for report in reports}
    total = math.fsum(given.values())
    return {report.node: total * report.take - given[report.node] for report in reports}


def received(name, rates, flow):
    """Return the requests per second that clients send to a node, more than 0."""
    return max(rates[name] - flow[name], LEAST * rates[name])


def needs(reports, load, options):
    """Return {name: -1 to 1}: how much less (< 0) or more each should serve."""
    usual = mean(math.sqrt(load[report.node]) for report in reports)
    after = debited(reports, load)
    return {report.node: need(math.sqrt(load[report.node]), math.sqrt(after[report.node]), usual,
                              options.band) for report in reports}


def need(root, after, usual, band):
    """Return the need of a node with these roots of its load, of that and the debit, of all."""
    most = math.sqrt(1 + band) * usual
    if root > most:
        return (most - root) / (most + root)
    return max(0.0, (usual - after) / (usual + after))


def delegation(reports, rates, need, takers, options):
    """Return ({name: fraction kept}, {name: share of what is delegated}) of `reports`.

    Who is not one of `takers` may keep less; it is given nothing. Nobody delegates if nobody can be
    given anything.
    """
    flow = flows(reports, rates)
    keep, gains = {}, {}
    for report in reports:
        name = report.node
        of = received(name, rates, flow)
        following = eased(flow[name], of, need[name]) + PACE * need[name] * rates[name]
        keep[name] = kept(following, of, options.floor)
        if following > 0 and name in takers:
            gains[name] = following * report.ramp
    if not gains or not any(part < 1 for part in keep.values()):
        return {}, {}
    return keep, shared_out(with_floor(gains, options.floor))


def eased(flow, of, wish):
    """Return `flow` nearer to what `wish` calls for, of what is received, if it delegates."""
    if flow >= 0:
        return flow
    aim = min(0.0, 2 * wish / (1 - wish)) if wish < 0 else 0.0      # keep: R / r
    return flow + EASE * (aim * of - flow)


def kept(flow, of, floor):
    """Return the fraction to keep of the requests `of` a second, to have `flow`."""
    return rounded(min(1.0, max(floor, 1 + flow / of)))
