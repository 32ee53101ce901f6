"""cygnus_least_loaded: the least load of those that are not over a threshold.

    cost = load                 NEAR: of loads that differ by less than 1 % either may be first
    last = those rejected, by load; behind them those critical, by load

    load       of the backend's NodeInstruction, dampened
    rejected   the NodeInstruction's state: load >= reject threshold, "will avoid selecting"
    critical   the NodeInstruction's state: load >= critical threshold, is to shed load

Thresholds and dampening are not here: agents dampen what they report (plan/dampening.py), and the
plan's verdict is the state, so that all dispatchers have the same. What differs: where all are
rejected Cygnus makes clients wait, here the least loaded of them is first. A load that is not known
comes after those that are.

Source: Othman, Balasubramanian, Schmidt, "Performance Evaluation of an Adaptive Middleware Load
Balancing and Monitoring Service" (Cygnus), 3.3 and 3.4; NEAR is that of its code, TAO's
LB_LeastLoaded (LL_DEFAULT_LOAD_PERCENT_DIFF_CUTOFF), which takes one of such two at random.
"""
from swift_lb.model import CRITICAL, REJECTED, NodeInstruction
from swift_lb.policy.backends.chance import by_cost, nearly
from swift_lb.policy.backends.least_loaded import LeastLoaded

NEAR = 0.01
BEHIND = {REJECTED: 1, CRITICAL: 2}


class CygnusLeastLoaded(LeastLoaded):
    """Order by load, the rejected and the critical behind."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by load within each group."""
        return by_cost({backend: self._rank(snapshot.of(backend).evidence.get(NodeInstruction), rng)
                        for backend in candidates}, rng)

    def _rank(self, part, rng):
        if part is None:
            return 0, 1, 0.0
        if part.load is None:
            return BEHIND.get(part.state, 0), 1, 0.0
        return BEHIND.get(part.state, 0), 0, nearly(part.load, NEAR, rng)

    def explain(self, backend, candidates, snapshot, now):
        """Say the load, and whether a threshold keeps `backend` behind."""
        said = super().explain(backend, candidates, snapshot, now)
        part = snapshot.of(backend).evidence.get(NodeInstruction)
        if part is None or part.state not in BEHIND:
            return said
        return f'{part.state}, behind those that are not: {said}'
