"""What the policies have in common that know the operator's weights.

The weight of a backend is static: its name's, else its ip:port's, else its ip's, else 1. Weight 0
is LVS's quiesced server, which gets no new connection; here it comes after all others, since a list
has all.
"""
from swift_lb.policy.costed import Costed

ONLY_AFTER = 'weight 0: only after all others'


class Weighed(Costed):
    """Order by a cost that knows the weight, lowest first, weight 0 last."""

    choices, counts = None, True

    def __init__(self, options):
        self._weights = options.weights

    def weight(self, backend):
        """Return the weight of `backend`."""
        weights = self._weights
        if weights:
            for key in ((backend.name,), (backend.ip, backend.port), (backend.ip,)):
                if key in weights:
                    return weights[key]
        return 1

    def cost(self, backend, snapshot, now):
        """Return what is to be minimised."""
        weight = self.weight(backend)
        return (0, self.cost_of(snapshot.of(backend), weight)) if weight else (1, 0)

    def cost_of(self, load, weight):
        """Return the cost of a NodeLoad, `weight` being more than 0."""
        raise NotImplementedError

    def reason(self, backend, snapshot, now):
        """Say the cost of `backend`, or that it has none."""
        weight = self.weight(backend)
        return self.words(snapshot.of(backend), weight) if weight else ONLY_AFTER

    def words(self, load, weight):
        """Say the cost in the words of the policy's formula."""
        raise NotImplementedError
