"""The power of two choices: of two nodes at random, the one with fewer reads in flight.

    first  = of two different candidates at random the one with the lesser cost
    cost   = in_flight

    in_flight   reads sent to the node, by this book's proxies, whose last byte has not come

Each next place goes to the better of two of those left, which is whom a caller would get who asks
again. With n candidates the worst is first in none of its pairs, so never first; but the second
worst is, 1 time in n (n - 1) / 2. That no node is avoided by all is the point: many that know the
same do not all go the same way.

Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE TPDS 12 (2001);
Envoy's least_request with choice_count 2; Finagle P2C.
"""
from swift_lb.policy.least_in_flight import LeastInFlight


def by_two(candidates, costs, rng):
    """Return the candidates, each place given to the cheaper of two at random of those left."""
    left, best = list(candidates), []
    while len(left) > 1:
        one, other = rng.sample(range(len(left)), 2)
        best.append(left.pop(other if costs[left[other]] < costs[left[one]] else one))
    return best + left


class TwoChoices(LeastInFlight):
    """Order by the better of two in flight."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, for each place the better of two."""
        return by_two(candidates, {node: self.cost(node, snapshot, now) for node in candidates},
                      rng)

    def reason(self, node, snapshot, now):
        """Say what is compared."""
        return f'{snapshot.of(node).in_flight} in flight, the better of two at random'
