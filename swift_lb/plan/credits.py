"""How many requests a second a cluster takes from each other one: its credits. Pure.

    room    sum over the nodes of (full - in_flight) / seconds: by Little's law the requests per
            second that they would answer besides their present ones
            of a node that is beyond full, (full - in_flight) / HORIZON, a negative number: so many
            fewer, and after HORIZON it is just full. By Little's law the number would be ten times
            as large; the queue would be gone long before the next summary, and the pool with it
    most    sum over the nodes of max(full, in_flight) / seconds: what they would answer if they had
            no others. Beyond full, that is what they answer now

        full        FULL of `reject`, the report's or that of the conf. `reject` is twice the knee
                    (plan/knee.py): at reject as many requests wait as are served, and below the
                    knee a tenth of the capacity would be left
                    without a limit: MIN_IN_FLIGHT, or GROWTH x in_flight if that is more. Twice the
                    load of some time ago has had more throughput, or there would be a limit; so
                    credits grow until the node is found to be busy
        seconds     response_time, MIN_SECONDS at least. If it is unknown, as on a node without a
                    request in the last second, the mean of the other nodes; if none knows it, what
                    the dispatchers tell to other clusters, which holds for ten minutes after the
                    last request; ASSUMED if these know nothing, either. Then no read is sent here
                    because it would be sooner: other clusters cannot predict its time
        nodes       those that are up, and know their requests in flight. One that is over a
                    threshold has no room, but its queue counts. In a panic, when more than half of
                    the nodes look bad, none is granted

    used    what the others have sent lately, of each at most what it was granted, and just that
            where it is not known. These requests are in flight, but no reason to grant less
    pool    half of the way from the last pool to room + used, between 0 and most. In flight is a
            number at one instant, and varies by chance: if the pool fell at once and rose by half,
            as it once did, a third of what could be served was not granted. With Little's law for
            queues, too, the mean is 1.22 times the oracle's if summaries are late, not 1.13
            (`swift-lb sim sites`, stale)
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

FULL = 0.75             # fraction of `reject`; with 1.0 the mean is as long (`swift-lb sim sites`)
HORIZON = 4.0           # seconds, two intervals: after one a pool has gone half of the way only
GROWTH = 1.5            # in one interval, half again as much; nodes learn their knee in seconds
FLOOR = 0.25            # fraction of the pool that is divided equally
MIN_SECONDS = 0.001     # a shorter response time comes from requests that do not reach a disk
ASSUMED = 1.0           # seconds, as in plan/load.py


class Room(NamedTuple):
    """The requests per second that nodes could answer."""

    room: float = 0.0       # besides their present requests; negative if too many are in flight
    most: float = 0.0       # if they had no others


NO_ROOM = Room()


def room_of(reports, instruction, options, told=None):
    """Return the Room of all nodes of a cluster.

    `reports` are its Reports, `instruction` is its Instruction, or None: then there is no room;
    `options` are PlanOptions; `told` are the seconds that its dispatchers tell, None if unknown.
    """
    if instruction is None or instruction.panic:
        return NO_ROOM
    states = {node.node: node.state for node in instruction.nodes}
    counted = [report for report in reports if IN_FLIGHT in report.metrics
               and states.get(report.node) in (UP, REJECTED, CRITICAL)]
    measured = mean(report.metrics[RESPONSE_TIME] for report in counted
                    if RESPONSE_TIME in report.metrics)
    usual = next(seconds for seconds in (measured, told, ASSUMED) if seconds is not None)
    rooms = [(node_room(report, usual, options), states[report.node] == UP) for report in counted]
    return Room(math.fsum(one.room if is_up else min(0.0, one.room) for one, is_up in rooms),
                math.fsum(one.most for one, is_up in rooms if is_up))


def node_room(report, usual, options):
    """Return the Room of one node by its Report.

    `usual` are the seconds of a response at the other nodes, for a node that does not know its own.
    `options` are PlanOptions.
    """
    limit = options.reject if options.metric in (AUTO, IN_FLIGHT) else None
    limit = report.reject if limit is None else limit
    in_flight = report.metrics[IN_FLIGHT]
    full = max(MIN_IN_FLIGHT, GROWTH * in_flight) if limit in (None, math.inf) else FULL * limit
    seconds = max(MIN_SECONDS, report.metrics.get(RESPONSE_TIME, usual))
    left = full - in_flight
    return Room(left / (seconds if left > 0 else HORIZON), max(full, in_flight) / seconds)


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
