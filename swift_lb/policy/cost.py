"""The base of the policies that compute one number for each node: least first, ties at random.

An unknown node has a cost, too, and stands where the system or paper behind the policy puts it. The
options lb_unmeasured and lb_max_age are for the LB-RLT paper's policies only.
"""


class LowestCost:
    """The base of policies that compute a cost for each node and order by it, lowest first."""

    kinds = ()

    def __init__(self, options):
        pass

    def cost(self, node, snapshot, now):
        """Return the cost of `node` at the instant `now`: the number to be minimised."""
        raise NotImplementedError

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, the lowest first, equal ones at random."""
        # no two draws are equal, so nodes are never compared
        ranked = [(self.cost(node, snapshot, now), rng.random(), node) for node in candidates]
        ranked.sort()
        return [node for _cost, _draw, node in ranked]

    def knows(self, node, snapshot, now):
        """Return whether the snapshot has all the evidence of `node` that the policy uses."""
        load = snapshot.of(node)
        return all(load.evidence.get(kind) is not None for kind in self.kinds)

    def explain(self, node, candidates, snapshot, now):
        """Return the reason for the place of `node` in the order, as text."""
        if self.knows(node, snapshot, now):
            return self._reason(node, snapshot, now)
        return f'nothing known: {self._unknown(node, snapshot)}'

    def _reason(self, node, snapshot, now):
        """Return the cost of a known `node` in the terms of the policy's formula, as text."""
        raise NotImplementedError

    def _unknown(self, node, snapshot):
        """Return, as text, where an unknown `node` stands in the order."""
        return 'tried first'
