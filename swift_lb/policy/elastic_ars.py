"""Elasticsearch's adaptive replica selection: C3's score, and losers that come back by themselves.

    rank = R - S + q^3 x S          q = 1 + outstanding x clients + queue        (lowest first)

    R            seconds: average of the response times seen from here
    S            seconds: the node's own average of its service times
    queue        average of the requests in flight that the node reports, a whole number
    outstanding  reads sent to the node, by this book's proxies, not yet answered to the last byte
    clients      the nodes this book has met: there every node is a client of all

load/pulled_feedback.py has the averages (weight 0.3 of the new sample), what is taken of a node
that reports nothing, and how each order pulls the losers 15 % of the way to the winner. A node
without statistics stands before all that have some, as NodeRankComparator has it; that has flooded
new nodes (elasticsearch 144937, 147579). R - S is as it was until 2026, when 9.5 took it away.

    exponent 3    queueAdjustmentFactor

Source: Elasticsearch, ResponseCollectorService.ComputedNodeStats and IndexShardRoutingTable;
elasticsearch 24915 and pull request 26128.
"""
import math

from swift_lb.load.pulled_feedback import PulledFeedback
from swift_lb.policy.c3 import score
from swift_lb.policy.costed import Costed


class ElasticArs(Costed):
    """Order by the rank."""

    kinds = (PulledFeedback,)

    def cost(self, node, snapshot, now):
        """Return the rank; before all others for a node without statistics."""
        load = snapshot.of(node)
        averages = load.evidence.get(PulledFeedback)
        return -math.inf if averages is None else score(averages, load.in_flight * snapshot.met)

    def reason(self, node, snapshot, now):
        """Say the rank and what goes into it."""
        load = snapshot.of(node)
        found = load.evidence[PulledFeedback]
        return (f'rank {self.cost(node, snapshot, now) * 1000:.3g} ms: R '
                f'{found.response_time * 1000:.3g} ms, S {found.service_time * 1000:.3g} ms, '
                f'q 1 + {load.in_flight} x {snapshot.met} + {found.queue}')
