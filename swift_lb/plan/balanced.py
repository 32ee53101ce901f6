"""`balanced`: what experience since the papers teaches, DNS slowly and dispatchers fast. Pure.

Two loops, one inside the other. Dispatchers find out within seconds what each node can serve
(plan/delegation.py). DNS, behind caches that hold an answer for a minute and longer, must not
follow what happens within one: it follows what the dispatchers have had to correct, so that there
is less and less left to correct (plan/weights.py).

DNS goes by what dispatchers have been seen to hand on (plan/flows.py), also by who is drained, for
clients go on to come there; what is late says nothing of now. Only dispatchers that obey keep and
take are told what to hand on: what they were told counts there.

All that is remembered (weight, keep, take, what a node was told) comes with its own report, so that
all nodes remember the same. Who is late, drained or disabled gets nothing new. Who is over a
threshold is delegated nothing any more, at once; critical, it delegates; and its DNS weight goes
down slowly, as all weights move: an overload comes and goes faster than caches forget, and with
thresholds that are wrong, as in Cygnus' Figure 10, half of the nodes would have all clients, by
turns. DNS leaves out who is over for as long as a cache keeps an answer (zone/patience.py). If most
nodes were late or over a threshold, all are treated as up (panic); but where most are late, nobody
delegates.
"""
from swift_lb.model import CRITICAL, DISABLED, DRAINING, GONE, LATE, REJECTED, UP, Part
from swift_lb.plan.delegation import delegation, flows, needs, served
from swift_lb.plan.flows import measured, seen
from swift_lb.plan.load import loads
from swift_lb.plan.membership import panics
from swift_lb.plan.shares import mean, rounded
from swift_lb.plan.threshold import verdicts
from swift_lb.plan.weights import clients_of, followed

SHED = 0.1          # need of a critical node is at least to give away so much


def balanced(members, options):
    """Return (Parts, whether there is panic) of `members`."""
    there = [member.report for member in members if member.state == UP]
    load, rates = loads(there, options), served(there)
    over = verdicts(there, options)
    states = {member.name: over.get(member.name, member.state) for member in members}
    panic = panics(states.values())
    blind = panics(member.state for member in members)
    reports = [member.report for member in members if panic or member.state != GONE]
    counted = {} if panic else over
    usual = mean(load.values())
    need = {name: shed(found, counted.get(name), load[name] >= usual) for name, found in
            needs(there, load, options).items()}
    heard = [member.report for member in members if member.state not in (LATE, GONE)]
    flow = measured(heard, rates) if seen(heard) else flows(there, rates)
    weights = followed(reports, rates, flow, need, options)
    clients = clients_of(reports, weights, open_to_clients(states, panic), options)
    takers = {name for name in over if counted.get(name, UP) == UP}
    keep, take = ({}, {}) if blind else delegation(there, rates, need, takers, options)
    return [Part(report.node, report.proxy, states[report.node],
                 rounded(load[report.node]) if report.node in load else None,
                 weights[report.node], clients.get(report.node, 0.0), keep.get(report.node, 1.0),
                 take.get(report.node, 0.0)) for report in reports], panic


def open_to_clients(states, panic):
    """Return the names of those that get new clients: whose reports come, and who are in service.

    In a panic all that are in service, and all, if none is.
    """
    if panic:
        return {name for name, state in states.items()
                if state not in (DRAINING, DISABLED)} or set(states)
    return {name for name, state in states.items() if state in (UP, REJECTED, CRITICAL)}


def shed(need, state, above):
    """Return the need of a node in `state`; `above`: it has more to do than the mean.

    Over a threshold it is to have no more. Critical, it is to have less, if others have less.
    """
    if state == CRITICAL and above:
        return min(need, -SHED)
    return min(need, 0.0) if state in (REJECTED, CRITICAL) else need
