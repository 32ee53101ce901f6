"""What dispatchers really hand on, by their own count: so much clients did not send there. Pure.

    flow    = in - out
    out     all that a node's dispatchers hand on: metric `handed_on`, or the sum of its flows,
            whichever is more
    in      what the flows of all others say of it, and its part of what they do not say

A report names the largest flows only (wire/node_report.py). The rest, out less the sum of its
flows, is taken to go to all who may be handed anything and are not named, to each alike. An agent
that is too old to say `handed_on`, or beside whose proxy there is no dispatcher, has no rest.

Where nobody says it, as without dispatchers, or where no book tells of it (lb_dispatcher's `book =
worker`), nothing is seen, and what was told counts: nobody does it, but it is what the plan
remembers of load, and DNS alone does better with that memory (`swift-lb sim cluster --rules
balanced --dispatch none --scenario slow-for-good`: 2.6 s in the mean, without it 9 s). One that
says it is enough: of those that do not, nothing is handed on then, so all hosts are to have the
same `book`.

It is what dispatchers did in the mean of the last seconds, whatever policy they have; what those
that obey keep and take were told to do is plan/delegation.py's, and is known at once.
"""
import math

HANDED_ON = 'handed_on'     # requests per second, a metric


def seen(reports):
    """Return whether anybody's dispatchers are counted."""
    return any(report.flows or HANDED_ON in report.metrics for report in reports)


def measured(reports, names):
    """Return {name: requests per second} of `names`: what it is handed, less what it hands on.

    `names` are those who may be handed anything; who else is named in a flow has taken it, and
    `reports` are of all who may have handed on.
    """
    found, alike = {name: [] for name in names}, []
    for report in reports:
        told = dict(report.flows)
        listed = math.fsum(told.values())
        out = max(listed, report.metrics.get(HANDED_ON, 0.0))
        named = found.keys() & (told.keys() | {report.node})
        others = len(found) - len(named)
        share = (out - listed) / others if others else 0.0
        alike.append(share)         # of all, taken back where it is not due: n steps, not n x n
        for name in named:
            found[name].append(told.get(name, 0.0) - share)
        if report.node in found:
            found[report.node].append(-out)
    every = math.fsum(alike)
    return {name: math.fsum([every, *flows]) for name, flows in found.items()}
