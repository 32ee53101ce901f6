"""C3: response time, service time and the cube of the queue.

    score = R - 1/mu + q^3 x 1/mu       q = 1 + os x w + qbar        (lowest first)

    R      seconds: average of the response times seen from here
    1/mu   seconds: average of the service times the node reports
    qbar   average of the requests in flight that the node reports
    os     reads sent to the node, by this book's proxies, not yet answered to the last byte
    w      the number of clients. Proxies do not know it; cassandra-c3 takes the number of nodes it
           talks to, for there every node is a client of all. So here: the nodes this book has met

load/feedback.py has the averages (weight 0.9 of the new sample), and what is taken for 1/mu and
qbar of a node that reports nothing. The unknown has a score of 0: it stands first, as in
ScoreTracker and absim, and takes every read until its first answer.

Left out, for they are no orders: the cubic rate control, which holds a request back in a
backpressure queue while every replica is above its rate (a proxy has no such queue, and a policy
gives all candidates, always; Elasticsearch left it out too), and the shadow reads (Cassandra's read
repair) by which one read in ten refreshes what is known of the other replicas.

    exponent 3   "cubic" in the paper; absim's costExponent

Source: Suresh, Canini, Schmid, Feldmann, "C3: Cutting Tail Latency in Cloud Data Stores via
Adaptive Replica Selection", NSDI 2015; lalithsuresh/cassandra-c3, ScoreTracker.java.
"""
from swift_lb.load.feedback import Feedback
from swift_lb.policy.costed import Costed


def score(averages, others):
    """Return the score of a node with these Averages and `others` requests in its queue."""
    queue = 1.0 + others + averages.queue
    service_time = averages.service_time
    return averages.response_time - service_time + queue ** 3 * service_time


class C3(Costed):
    """Order by the score."""

    kinds = (Feedback,)

    def cost(self, node, snapshot, now):
        """Return the score; 0 for the unknown."""
        load = snapshot.of(node)
        averages = load.evidence.get(Feedback)
        return 0.0 if averages is None else score(averages, load.in_flight * snapshot.met)

    def reason(self, node, snapshot, now):
        """Say the score and what goes into it."""
        load = snapshot.of(node)
        found = load.evidence[Feedback]
        return (f'score {self.cost(node, snapshot, now) * 1000:.3g} ms: R '
                f'{found.response_time * 1000:.3g} ms, 1/mu {found.service_time * 1000:.3g} ms, '
                f'q 1 + {load.in_flight} x {snapshot.met} + {found.queue:.2g}')
