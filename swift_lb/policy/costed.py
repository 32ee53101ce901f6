"""What the policies that put a number on each node have in common: the least first, ties by chance.

A number is there for every node: where the unknown stands is what the policy's cost says of it, and
that is its source's, not ours (lb_unmeasured and lb_max_age are for the paper's policies).
"""


class Costed:
    """Order by cost, lowest first."""

    kinds = ()

    def __init__(self, options):
        pass

    def cost(self, node, snapshot, now):
        """Return what is to be minimised."""
        raise NotImplementedError

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost."""
        # no two draws are equal, so nodes are never compared
        found = [(self.cost(node, snapshot, now), rng.random(), node) for node in candidates]
        found.sort()
        return [node for _cost, _draw, node in found]

    def knows(self, node, snapshot, now):
        """Return whether all that is wanted of `node` has been seen."""
        loads = snapshot.of(node)
        return all(loads.evidence.get(kind) is not None for kind in self.kinds)

    def explain(self, node, candidates, snapshot, now):
        """Say why `node` stands where it stands."""
        if self.knows(node, snapshot, now):
            return self.reason(node, snapshot, now)
        return f'nothing known: {self.unknown(node, snapshot)}'

    def reason(self, node, snapshot, now):
        """Say the cost of `node` in the words of the policy's formula."""
        raise NotImplementedError

    def unknown(self, node, snapshot):
        """Say where a node stands of which nothing is known."""
        return 'tried first'
