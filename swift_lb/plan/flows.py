"""Requests per second that a node serves, gets from clients, and gets from other nodes. Pure.

    flow = delegated to the node - delegated by it        received from clients = served - flow

Measured flows are the means of what dispatchers did in the last seconds, whatever their policy:

    flow    = in - out
    out     all that a node's dispatchers delegate: metric `handed_on`, or the sum of the flows in
            its report, whichever is more
    in      the sum of the flows to the node in the reports of all other nodes, and its share of
            their rests

A report lists the largest flows only (wire/node_report.py). The rest, `out` less the listed flows,
is assumed to go in equal shares to all nodes that may be delegated anything and are not listed. An
agent that is too old to report `handed_on`, or whose proxy has no dispatcher, has no rest.

Instructed flows follow from the last Instruction: `keep` is the fraction of its requests that a
node serves itself, `take` its share of all that is delegated. They hold for dispatchers that obey
these, and are known at once. DNS weights use them where no flow is measured: without dispatchers,
or where each worker of a dispatcher counts for itself alone (`book = worker`). No dispatcher obeys
them then, but by them the plan remembers which nodes had too much load, which improves DNS without
dispatchers (`swift-lb sim cluster --rules balanced --dispatch none --scenario slow-for-good`: a
mean time of 2.6 s, else 9 s). As soon as one node reports flows, a node that reports none counts as
delegating nothing; so all hosts should have the same option `book`.
"""
import math

from swift_lb.plan.load import REQUESTS
from swift_lb.plan.shares import mean

HANDED_ON = 'handed_on'     # requests per second, a metric
MIN_SHARE = 0.1     # a rate counts as at least this share of the mean: a node must not get 0


def served(reports):
    """Return {name: requests per second served}: the mean if unknown, at least 0.1 of the mean."""
    mean_rate = mean(report.metrics[REQUESTS] for report in reports
                     if REQUESTS in report.metrics) or 1.0
    return {report.node: max(report.metrics.get(REQUESTS, mean_rate), MIN_SHARE * mean_rate)
            for report in reports}


def received(name, rates, flow):
    """Return the requests per second that clients send to the node `name`, more than 0.

    It is what the node serves (`rates`), plus what it delegates, minus what is delegated to it:
    `flow` is the latter minus the former. Both are {name: requests per second}.
    """
    return max(rates[name] - flow[name], MIN_SHARE * rates[name])


def instructed_flows(reports, rates):
    """Return {name: requests per second delegated to the node less those that it delegates}.

    They follow from `keep` and `take` in the reports and from `rates`, {name: requests per second}.
    """
    given = {report.node: rates[report.node] * (1 / report.keep - 1) if report.keep > 0 else 0.0
             for report in reports}
    total = math.fsum(given.values())
    return {report.node: total * report.take - given[report.node] for report in reports}


def is_measured(reports):
    """Return whether any of the reports has a count of what the node's dispatchers delegate."""
    return any(report.flows or HANDED_ON in report.metrics for report in reports)


def measured_flows(reports, names):
    """Return {name: flow} of `names`, the nodes to which requests may be delegated.

    A flow is the requests per second delegated to a node less those that it delegates. `reports`
    are of all nodes that may have delegated. What a report lists for a node that is not in `names`
    is subtracted from the flow of the report's own node only.
    """
    flows, unlisted = {name: [] for name in names}, []
    for report in reports:
        listed = dict(report.flows)
        total = math.fsum(listed.values())
        out = max(total, report.metrics.get(HANDED_ON, 0.0))
        named = flows.keys() & (listed.keys() | {report.node})
        others = len(flows) - len(named)
        share = (out - total) / others if others else 0.0
        unlisted.append(share)      # of all; taken back below where not due: n steps, not n x n
        for name in named:
            flows[name].append(listed.get(name, 0.0) - share)
        if report.node in flows:
            flows[report.node].append(-out)
    every = math.fsum(unlisted)
    return {name: math.fsum([every, *own]) for name, own in flows.items()}
