"""`balanced`: what experience since the papers teaches, DNS slowly and dispatchers fast. Pure.

DNS, behind caches that hold an answer for a minute and longer, must not follow what happens within
one. A node's weight w follows its target, never faster than HASTE, and not at all while it is off
by less than `hysteresis`:

    target = L_min / L', at least 1 / ratio      w += (target - w) x interval / tau

    L'      load as if the node kept all it receives: L / keep
    share   w x ramp, of which the fraction `floor` is shared out alike: everybody is probed

Dispatchers correct the rest. Who is within the band delegates nothing. Who is above, keeps less by
the root of what it is above the mean, since less to do shortens its queue and its times:

    L > (1 + band) mean     keep x= sqrt(mean / L), at most by LESS at once, to no less than floor
    L < mean                keep += MORE

and what is delegated goes to those below the mean, in proportion to how far.

All that is remembered (weight, keep, take, what a node was told) comes with its own report, so that
all nodes remember the same. Who is late, drained or over a threshold gets nothing new; if that were
more than half of all, everybody does, as if all were well (panic).
"""
import math

from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, UP, Part
from swift_lb.plan.load import debited, loads
from swift_lb.plan.membership import panics
from swift_lb.plan.reason import reason
from swift_lb.plan.shares import bounded, mean, rounded, shared_out, with_floor
from swift_lb.plan.threshold import verdicts

HASTE = 0.01        # fraction that a weight changes at most, in a second
LESS, MORE = 0.25, 0.05     # of what a node receives, that it keeps, at each report
SHED = 0.05         # likewise, that a node which is critical keeps less, whatever the others have


def balanced(members, options):
    """Return (Parts, whether there is panic) of `members`."""
    there = [member.report for member in members if member.state == UP]
    load = loads(there, options)
    over = verdicts(there, options)
    states = {member.name: over.get(member.name, member.state) for member in members}
    panic = panics(states.values())
    reports = [member.report for member in members if panic or member.state != GONE]
    weights = followed(reports, load, options)
    chosen = chosen_of(states, panic)
    clients = clients_of(reports, weights, chosen, options)
    keep, take = ({}, {}) if panic else delegation(there, load, chosen, states, options)
    return [Part(report.node, report.proxy, states[report.node],
                 rounded(load[report.node]) if report.node in load else None,
                 weights[report.node], clients.get(report.node, 0.0), keep.get(report.node, 1.0),
                 take.get(report.node, 0.0),
                 reason(report, states[report.node], load, keep.get(report.node, 1.0), panic))
            for report in reports], panic


def chosen_of(states, panic):
    """Return the names of those that get something new."""
    if not panic:
        return {name for name, state in states.items() if state == UP}
    return {name for name, state in states.items()
            if state not in (DRAINING, DISABLED)} or set(states)


# -- DNS

def followed(reports, load, options):
    """Return {name: weight}, the largest 1: that of the reports, a step nearer to their targets."""
    usual = mean(report.weight for report in reports if report.weight is not None) or 1.0
    weights = {report.node: usual if report.weight is None else report.weight
               for report in reports}
    aims = targets({report.node: load[report.node] / max(report.keep, 1 / options.ratio)
                    for report in reports if report.node in load}, options.ratio)
    for report in reports:
        if report.node in aims:
            weights[report.node] = step(weights[report.node], aims[report.node],
                                        report.interval, options)
    most = max(weights.values(), default=1.0)
    return {name: rounded(weight / most) for name, weight in bounded(
        weights, options.ratio).items()}


def targets(load, ratio):
    """Return {name: weight} inversely proportional to `load`, between 1 / ratio and 1."""
    least = min(load.values(), default=1.0)
    return {name: max(1 / ratio, least / one) for name, one in load.items()}


def step(weight, target, seconds, options):
    """Return `weight` a step of `seconds` nearer to `target`."""
    if abs(target - weight) < options.hysteresis * weight:
        return weight
    most = HASTE * seconds * weight
    return weight + min(max((target - weight) * min(1.0, seconds / options.tau), -most), most)


def clients_of(reports, weights, chosen, options):
    """Return {name: share of the new clients}."""
    ramped = bounded({report.node: weights[report.node] * report.ramp
                      for report in reports if report.node in chosen}, options.ratio)
    return shared_out(with_floor(ramped, options.floor))


# -- dispatchers

def delegation(reports, load, chosen, states, options):
    """Return ({name: fraction kept}, {name: share of what is delegated}) of those that are heard.

    A node that is not chosen, as it is over a threshold, may keep less; it is given nothing.
    """
    usual = mean(load[report.node] for report in reports)
    keep = {report.node: kept(report, load[report.node], usual, states[report.node], options)
            for report in reports}
    after = debited(reports, load)
    spare = {report.node: max(0.0, usual - after[report.node]) * report.ramp
             for report in reports if report.node in chosen and keep[report.node] == 1.0}
    if not spare or len(spare) == len(reports):
        return {}, {}
    return keep, shared_out(with_floor(smoothed(spare, reports), options.floor))


def smoothed(spare, reports):
    """Return {name: weight}: half by `spare`, half by what the same nodes were given before."""
    before = shared_out({report.node: report.take for report in reports if report.node in spare})
    now = shared_out(spare) or before or dict.fromkeys(spare, 1.0)
    return {name: now[name] + (before or now)[name] for name in spare}


def kept(report, load, usual, state, options):
    """Return the fraction that a node keeps of what it receives."""
    keep = report.keep
    if load > (1 + options.band) * usual:
        keep = max(keep * math.sqrt(usual / load), keep - LESS)
    elif load < usual and state == UP:
        keep += MORE
    if state == CRITICAL:
        keep = min(keep, report.keep - SHED)
    return rounded(min(1.0, max(options.floor, keep)))
