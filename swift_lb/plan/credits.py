"""How many requests a second a cluster takes from each other one: its credits. Pure.

    room    sum over the nodes of (knee - in_flight) / seconds: by Little's law the requests per
            second that they would answer besides their present ones. Negative at a queue

        knee        half of `reject`, the report's or that of the conf, which is twice the knee
                    (plan/knee.py). Up to `reject` itself twice the capacity would be granted, and
                    half of it would wait. Without a limit, as on a node that was never busy, half
                    of the least one that there is, MIN_IN_FLIGHT
        seconds     response_time, MIN_SECONDS at least; the mean of the other nodes if it is
                    unknown, as on a node without requests; ASSUMED if no node knows it
        nodes       those that are up, and know their requests in flight. One that is over a
                    threshold has no room, but its queue counts. In a panic, when more than half of
                    the nodes look bad, none is granted

    used    what the others have sent lately, of each at most what it was granted. These requests
            are in flight, but they are no reason to grant less
    spare   room + used, 0 at least
    pool    spare, if that is less than the last pool, else half of the way to it. Where `used` is
            not known, a cluster that granted all its room would find it taken, grant nothing, and
            then all again: requests would swing between all and none. So the pool comes to half of
            such a room, and to all of it where `used` is known
    credit  of each cluster: its fraction of the pool, in proportion to what it has sent lately;
            FLOOR is divided equally, so that one that has sent nothing can begin

So all credits together are never more than `spare`, and what was not used is granted again.
"""
import math

from swift_lb.model import CRITICAL, REJECTED, UP
from swift_lb.plan.knee import MIN_IN_FLIGHT
from swift_lb.plan.load import IN_FLIGHT, RESPONSE_TIME
from swift_lb.plan.options import AUTO
from swift_lb.plan.shares import mean, with_floor

FLOOR = 0.25            # fraction of the pool that is divided equally
MIN_SECONDS = 0.001     # a shorter response time comes from requests that do not reach a disk
ASSUMED = 1.0           # seconds, as in plan/load.py: a first credit that harms no node


def room_of(reports, instruction, options):
    """Return the requests per second that a cluster's nodes would answer besides their own.

    `reports` are its Reports, `instruction` is its Instruction, or None: then there is no room;
    `options` are PlanOptions. The result is negative if there are more requests than the nodes
    answer at once.
    """
    if instruction is None or instruction.panic:
        return 0.0
    states = {node.node: node.state for node in instruction.nodes}
    counted = [report for report in reports if IN_FLIGHT in report.metrics
               and states.get(report.node) in (UP, REJECTED, CRITICAL)]
    usual = mean(report.metrics[RESPONSE_TIME] for report in counted
                 if RESPONSE_TIME in report.metrics)
    rooms = [(node_room(report, ASSUMED if usual is None else usual, options),
              states[report.node]) for report in counted]
    return math.fsum(one if state == UP else min(0.0, one) for one, state in rooms)


def node_room(report, usual, options):
    """Return the room of one node by its Report; `usual` is the response time of other nodes."""
    limit = options.reject if options.metric in (AUTO, IN_FLIGHT) else None
    limit = report.reject if limit is None else limit
    knee = (MIN_IN_FLIGHT if limit in (None, math.inf) else limit) / 2
    seconds = max(MIN_SECONDS, report.metrics.get(RESPONSE_TIME, usual))
    return (knee - report.metrics[IN_FLIGHT]) / seconds


def credits_of(room, sent, before):
    """Return {cluster: requests per second that it may send} of the clusters in `sent`.

    `sent` is {cluster: requests per second that it has sent lately, 0 if that is not known}, and
    `before` the last result.
    """
    used = math.fsum(min(rate, before.get(cluster, 0.0)) for cluster, rate in sent.items())
    spare = max(0.0, room + used)
    pool = min(spare, (math.fsum(before.values()) + spare) / 2)
    fractions = with_floor(sent, FLOOR) or dict.fromkeys(sent, 1 / max(1, len(sent)))
    return {cluster: fraction * pool for cluster, fraction in fractions.items()}
