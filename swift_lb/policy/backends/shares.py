"""Apache's three policies: each backend gets its configured share of what is counted.

    request_counting          the largest lbstatus first
    pending_request_counting  cost = (in_flight, -lbstatus)     lbstatus decides between equals
    traffic_counting          cost = bytes / weight

    lbstatus    (chosen + 1) x w - W x choices: how urgently the backend needs its share
    choices     times this host has put the backend first; chosen = sum of all candidates' choices
    w           its static weight (weights.py), Apache's lbfactor; W = sum of all candidates' w
    in_flight   requests that this host sent to it, not yet answered: Apache's `busy`
    bytes       of bodies, both ways, that went through the backend for this host, ever

`request_counting`: mod_lbmethod_byrequests.c. Apache adds w to the lbstatus of all at each request,
and takes W from that of the one chosen; starting at 0, this is the formula. Differences: Apache
adds only while a worker is usable, while here a backend that was away is owed its share of what was
sent meanwhile; Apache takes the first of equal workers in its list, here chance decides.

`pending_request_counting`: mod_lbmethod_bybusyness.c. Weights matter only between equally busy
backends.

`traffic_counting`: mod_lbmethod_bytraffic.c, Weighted Traffic Counting in Piorkowski et al., who
found it over two times slower than the best. It does not see time: a backend that answers slowly
has few bytes and gets more requests, and one that fails has none and gets all. Bytes are counted
when they have passed, so that all requests until then go to the same backend. Apache counts heads
too, here only bodies count.
"""
from swift_lb.model import Traffic
from swift_lb.policy.backends.weights import WeightedCost, by_cost


class RequestCounting(WeightedCost):
    """Order by lbstatus, the largest first: how far a backend is behind its share of requests."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by lbstatus, the largest first; those of weight 0 last."""
        statuses = self.statuses(candidates, snapshot)
        return by_cost({backend: (1, 0) if statuses[backend] is None else
                        (0, self._urgency(snapshot.of(backend), statuses[backend]))
                        for backend in candidates}, rng)

    def _urgency(self, load, status):
        """Return the cost, to be minimised, of a backend with this NodeLoad and this lbstatus."""
        return -status

    def statuses(self, candidates, snapshot):
        """Return {backend: how far it is behind its share, its lbstatus; None for weight 0}."""
        weights = {backend: self.weight(backend) for backend in candidates}
        choices = {backend: snapshot.of(backend).choices for backend in candidates}
        total = sum(weights.values())
        chosen = sum(choices[backend] for backend in candidates if weights[backend])
        return {backend: (chosen + 1) * weights[backend] - total * choices[backend]
                if weights[backend] else None for backend in candidates}

    def explain(self, backend, candidates, snapshot, now):
        """Return the reason for the place of `backend`, its lbstatus included, as text."""
        status = self.statuses(candidates, snapshot)[backend]
        return self._reason(backend, snapshot, now) + (
            '' if status is None else f', lbstatus {status:g}')

    def _words(self, load, weight):
        return f'{load.choices} times first of weight {weight:g}'


class PendingRequestCounting(RequestCounting):
    """Order by in_flight, fewest first; then by how far a backend is behind its share."""

    def _urgency(self, load, status):
        """Return (requests in flight, -lbstatus), a cost, of a backend with this NodeLoad."""
        return load.in_flight, -status

    def _words(self, load, weight):
        return f'{load.in_flight} in flight, {super()._words(load, weight)}'


class TrafficCounting(WeightedCost):
    """Order by the bytes of bodies that went through a backend / its weight, fewest first."""

    def _cost_of(self, load, weight):
        traffic = load.evidence.get(Traffic)
        return traffic.bytes / weight if traffic else 0.0

    def _words(self, load, weight):
        return f'{self._cost_of(load, weight):,.0f} bytes for each unit of its weight {weight:g}'
