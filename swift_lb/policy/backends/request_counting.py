"""request_counting: each backend gets its configured share of the number of requests.

    lbstatus = (chosen + 1) x w - W x choices       the most urgent, the largest, first

    choices   times this host has put the backend first; chosen = sum of all candidates'
    w         its static weight (weighed.py), Apache's lbfactor; W = sum of all candidates'

Source: Apache, mod_lbmethod_byrequests.c. There each request adds w to the lbstatus of all, and
takes W from that of the one chosen; from 0 on, that comes to the formula. What differs: Apache adds
only while a worker is usable, here what others were chosen while a backend was away counts as owed
to it. Ties are the first's in Apache's list, here chance decides.
"""
from swift_lb.policy.backends.chance import by_cost
from swift_lb.policy.backends.weighed import Weighed


class RequestCounting(Weighed):
    """Order by lbstatus, the largest first."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by what is owed to them."""
        statuses = self.statuses(candidates, snapshot)
        return by_cost({backend: (1, 0) if statuses[backend] is None else
                        (0, self.urgency(snapshot.of(backend), statuses[backend]))
                        for backend in candidates}, rng)

    def urgency(self, load, status):
        """Return what is to be minimised of a NodeLoad and its lbstatus."""
        return -status

    def statuses(self, candidates, snapshot):
        """Return {backend: lbstatus}, None for weight 0."""
        weights = {backend: self.weight(backend) for backend in candidates}
        choices = {backend: snapshot.of(backend).choices for backend in candidates}
        total = sum(weights.values())
        chosen = sum(choices[backend] for backend in candidates if weights[backend])
        return {backend: (chosen + 1) * weights[backend] - total * choices[backend]
                if weights[backend] else None for backend in candidates}

    def explain(self, backend, candidates, snapshot, now):
        """Say how urgent `backend` has to work to fulfill its quota, in Apache's words."""
        status = self.statuses(candidates, snapshot)[backend]
        return self.reason(backend, snapshot, now) + (
            '' if status is None else f', lbstatus {status:g}')

    def words(self, load, weight):
        """Say what the lbstatus is made of."""
        return f'{load.choices} times first of weight {weight:g}'
