"""How many requests a second a cluster takes from each other one: its credits. Pure.

    room    sum over the nodes of (full - in_flight) / seconds: by Little's law the requests per
            second that they would answer besides their present ones. Negative at a queue
    most    sum over the nodes of full / seconds: what they would answer if they had no others

        full        FULL of `reject`, the report's or that of the conf. `reject` is twice the knee
                    (plan/knee.py): at reject as many requests wait as are served, and below the
                    knee a tenth of the capacity would be left. Without a limit, as on a node that
                    was never busy, FULL of the least one that there is, MIN_IN_FLIGHT
        seconds     response_time, MIN_SECONDS at least; the mean of the other nodes if it is
                    unknown, as on a node without requests; ASSUMED if no node knows it
        nodes       those that are up, and know their requests in flight. One that is over a
                    threshold has no room, but its queue counts. In a panic, when more than half of
                    the nodes look bad, none is granted

    used    what the others have sent lately, of each at most what it was granted, and just that
            where it is not known. These requests are in flight, but no reason to grant less
    pool    half of the way from the last pool to room + used, between 0 and most. In flight is a
            number at one instant, and varies by chance: if the pool fell at once and rose by half,
            as it once did, a third of what could be served was not granted
    credit  of each cluster: its fraction of the pool, in proportion to what it has sent lately;
            FLOOR is divided equally, so that one that has sent nothing can begin. Equal fractions
            where nothing is known of what was sent

So what was not used is granted again, and all credits together are never more than `most`. If the
others use more than there is room for, the pool falls within some intervals; until then each of
them sees a cluster that becomes slower, by its summaries.
"""
import math
from typing import NamedTuple

from swift_lb.model import CRITICAL, REJECTED, UP
from swift_lb.plan.knee import MIN_IN_FLIGHT
from swift_lb.plan.load import IN_FLIGHT, RESPONSE_TIME
from swift_lb.plan.options import AUTO
from swift_lb.plan.shares import mean, with_floor

FULL = 0.75             # fraction of `reject`; with 0.5, the knee, the mean response time was 1.7
                        # times the oracle's instead of 1.3 (`swift-lb sim sites`, spill)
FLOOR = 0.25            # fraction of the pool that is divided equally
MIN_SECONDS = 0.001     # a shorter response time comes from requests that do not reach a disk
ASSUMED = 1.0           # seconds, as in plan/load.py: a first credit that harms no node


class Room(NamedTuple):
    """The requests per second that nodes could answer."""

    room: float = 0.0       # besides their present requests; negative if too many are in flight
    most: float = 0.0       # if they had no others


NO_ROOM = Room()


def room_of(reports, instruction, options):
    """Return the Room of all nodes of a cluster.

    `reports` are its Reports, `instruction` is its Instruction, or None: then there is no room;
    `options` are PlanOptions.
    """
    if instruction is None or instruction.panic:
        return NO_ROOM
    states = {node.node: node.state for node in instruction.nodes}
    counted = [report for report in reports if IN_FLIGHT in report.metrics
               and states.get(report.node) in (UP, REJECTED, CRITICAL)]
    usual = mean(report.metrics[RESPONSE_TIME] for report in counted
                 if RESPONSE_TIME in report.metrics)
    rooms = [(node_room(report, ASSUMED if usual is None else usual, options),
              states[report.node] == UP) for report in counted]
    return Room(math.fsum(one.room if is_up else min(0.0, one.room) for one, is_up in rooms),
                math.fsum(one.most for one, is_up in rooms if is_up))


def node_room(report, usual, options):
    """Return the Room of one node by its Report.

    `usual` are the seconds of a response at the other nodes, for a node that does not know its own.
    `options` are PlanOptions.
    """
    limit = options.reject if options.metric in (AUTO, IN_FLIGHT) else None
    limit = report.reject if limit is None else limit
    full = FULL * (MIN_IN_FLIGHT if limit in (None, math.inf) else limit)
    seconds = max(MIN_SECONDS, report.metrics.get(RESPONSE_TIME, usual))
    return Room((full - report.metrics[IN_FLIGHT]) / seconds, full / seconds)


def credits_of(room, sent, before):
    """Return {cluster: requests per second that it may send} of the clusters in `sent`.

    `room` is a Room, `sent` is {cluster: requests per second that it has sent lately, None if that
    is not known}, and `before` the last result.
    """
    known = {cluster: rate for cluster, rate in sent.items() if rate is not None}
    used = math.fsum(min(known.get(cluster, rate), rate) for cluster, rate in before.items()
                     if cluster in sent)
    pool = max(0.0, (math.fsum(before.values()) + room.room + used) / 2)
    fractions = with_floor(sent, FLOOR) if len(known) == len(sent) else None
    fractions = fractions or dict.fromkeys(sent, 1 / max(1, len(sent)))
    return {cluster: fraction * min(pool, room.most) for cluster, fraction in fractions.items()}
