"""C3 and Elasticsearch's adaptive replica selection: one score, over two kinds of averages.

    score = R - S + q^3 x S         q = 1 + in_flight x clients + queue         (lowest first)

    R          seconds: average of the response times that this proxy measures
    S          seconds: average of the service times that the node reports; C3's 1/mu
    queue      average of the requests in flight that the node reports; C3's qbar
    in_flight  reads sent to the node, by this book's proxies, whose last byte has not come
    clients    the nodes this book has met. C3 multiplies by the number of clients, which proxies do
               not know; cassandra-c3 takes the number of nodes it sends to, since there every node
               is a client of all, and so does Elasticsearch

load/feedback.py has both kinds of averages, and what stands for S and queue of a node that does not
report.

`c3` uses averages of weight 0.9 for the new sample. An unknown node has a score of 0: it is first,
as in ScoreTracker and absim, and gets every read until its first answer. Left out, since they are
not orders: the cubic rate control, which holds a request back in a backpressure queue while every
replica is above its rate (a proxy has no such queue, and a policy always returns all candidates;
Elasticsearch left it out too), and the shadow reads (Cassandra's read repair), by which one read in
ten refreshes what is known of the other replicas.

`elastic_ars` uses averages of weight 0.3, and each order moves those of all nodes but the first by
15 % towards the first one's. A node without statistics comes before all nodes with them, as in
NodeRankComparator; this has flooded new nodes with reads (elasticsearch 144937, 147579). The term
R - S is that of the versions before 9.5 (2026), which dropped it.

    exponent 3   "cubic" in the paper; absim's costExponent; Elasticsearch's queueAdjustmentFactor

Source: Suresh, Canini, Schmid, Feldmann, "C3: Cutting Tail Latency in Cloud Data Stores via
Adaptive Replica Selection", NSDI 2015; lalithsuresh/cassandra-c3, ScoreTracker.java. Elasticsearch,
ResponseCollectorService.ComputedNodeStats and IndexShardRoutingTable; elasticsearch 24915 and pull
request 26128.
"""
from math import inf

from swift_lb.load.feedback import Feedback, PulledFeedback
from swift_lb.policy.cost import LowestCost


def score(averages, others):
    """Return a node's C3 score, seconds, from its Averages: the lower, the better.

    `others` is the number of our reads in flight there times the number of clients.
    """
    queue = 1.0 + others + averages.queue
    service_time = averages.service_time
    return averages.response_time - service_time + queue ** 3 * service_time


class C3(LowestCost):
    """Order by C3's score: response time, service time, and the cube of the queue."""

    kinds = (Feedback,)
    unknown_cost = 0.0
    explanation = 'score {:.3g} ms: R {:.3g} ms, 1/mu {:.3g} ms, q 1 + {} x {} + {:.2g}'

    def cost(self, node, snapshot, now):
        """Return the score of `node`, or the class's unknown_cost if nothing is known of it."""
        load = snapshot.of(node)
        averages = load.evidence.get(self.kinds[0])
        return self.unknown_cost if averages is None else score(
            averages, load.in_flight * snapshot.met)

    def _reason(self, node, snapshot, now):
        load = snapshot.of(node)
        averages = load.evidence[self.kinds[0]]
        return self.explanation.format(
            self.cost(node, snapshot, now) * 1000, averages.response_time * 1000,
            averages.service_time * 1000, load.in_flight, snapshot.met, averages.queue)


class ElasticArs(C3):
    """Order by C3's score from averages as Elasticsearch keeps them (PulledFeedback)."""

    kinds = (PulledFeedback,)
    unknown_cost = -inf
    explanation = 'rank {:.3g} ms: R {:.3g} ms, S {:.3g} ms, q 1 + {} x {} + {}'
