"""always_delegate: never here. For tests only: every request goes through another proxy.

What works when all requests are delegated works when some are. In a cluster it would double the
work of the network, and make every proxy depend on another.
"""
from swift_lb.model import Backend
from swift_lb.policy.shuffle import Shuffle


class AlwaysDelegate(Shuffle):
    """Order the others at random, this proxy last."""

    choices, counts = None, False

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, this proxy last."""
        here = snapshot.common.get(Backend)
        shuffled = super().order(candidates, snapshot, now, rng)
        return sorted(shuffled, key=lambda backend: backend == here)

    def explain(self, backend, candidates, snapshot, now):
        """Say why `backend` stands where it stands."""
        if backend == snapshot.common.get(Backend):
            return 'this proxy: after all others'
        return super().explain(backend, candidates, snapshot, now)
