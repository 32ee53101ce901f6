"""LB-RW: static weights from the conf.

    P(i is first) = w_i / sum(w)       and so on for the second, among those left

    w_i   the weight the operator gave node i, >= 0; 1 where none was given
          0 = only after every node with a weight, as the paper's LB-RW used its slow node

Obtained by an exponential race: sort by Exp(1) / w_i, since the least of independent Exp(w_i) is i
with probability w_i / sum(w), whatever is left (Efraimidis and Spirakis, "Weighted random sampling
with a reservoir", 2006).

Source: LB-RLT paper, Table 5 ("Round-robin with static Weights. Profiling of nodes performance is
needed") and 4.1 ("balanced the workload only to the SN2 and SN3").
"""
import math


class Weighted:
    """Order at random in proportion to static weights."""

    def __init__(self, options):
        self._weights = options.weights

    def weight(self, node):
        """Return the weight of `node`: its device's, else its ip:port's, else its ip's, else 1."""
        weights = self._weights
        for key in ((node.ip, node.port, node.device), (node.ip, node.port), (node.ip,)):
            if key in weights:
                return weights[key]
        return 1.0

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in weighted random order, weight 0 last."""
        finish = {node: self._finish(self.weight(node), rng) for node in candidates}
        return sorted(candidates, key=finish.__getitem__)

    def _finish(self, weight, rng):
        if weight == 0:
            return (1, rng.random())
        return (0, -math.log(1.0 - rng.random()) / weight)

    def knows(self, node, snapshot, now):
        """Nothing needs to be measured."""
        return True

    def explain(self, node, candidates, snapshot, now):
        """Say why `node` stands where it stands."""
        weight = self.weight(node)
        return f'weight {weight:g}' if weight else 'weight 0: only after all others'
