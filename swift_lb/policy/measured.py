"""What the policies that measure have in common: expiry, the unmeasured, and ties.

A measure older than max_age is no measure (the paper's Table 2: "Measure expiration: yes"). The
paper gives no value; 300 s is what Swift's own `timing`, on which its prototype was built, takes
(timing_expiry). Shorter hurts: every expiry sends traffic back to a slow node.

Where an unmeasured node stands is an option as well:

    shuffle   in a random place, so first as often as in plain Swift, 1 time in n. The default: such
              a node gets its measure, and one that never answers, and so is never measured, does no
              more harm than without us.
    first     as Swift's `timing` (-1.0), whose node that never answers takes every read.
    last      by Equation 2 a node of which nothing was read scores 0; the first node tried is then
              the only one measured, and the only one ever read.

Ties between measures go round robin: the node put first longest ago comes first, then chance.
"""


PLACES = {'shuffle': 'in a random place', 'first': 'tried first', 'last': 'tried last'}


class Measured:
    """Order by a cost computed from what has been measured, lowest first."""

    def __init__(self, options):
        self.max_age = options.max_age
        self.unmeasured = options.unmeasured

    def measure(self, node, snapshot):
        """Return (instant of the facts, cost), the cost to be minimised, or None without facts."""
        raise NotImplementedError

    def knows(self, node, snapshot, now):
        """Return whether the facts of `node` are there, and not older than max_age."""
        found = self.measure(node, snapshot)
        return found is not None and found[0] >= now - self.max_age

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, the unmeasured where the option says."""
        oldest = now - self.max_age
        measured, unmeasured = [], []
        for node in candidates:
            found = self.measure(node, snapshot)
            if found is None or found[0] < oldest:
                unmeasured.append(node)
            else:  # no two draws are equal, so nodes are never compared
                measured.append((found[1], self.turn(node, snapshot), rng.random(), node))
        measured.sort()
        best = [node for _cost, _turn, _draw, node in measured]
        return self._placed(unmeasured, best, rng) if unmeasured else best

    def _placed(self, unmeasured, best, rng):
        rng.shuffle(unmeasured)
        if self.unmeasured == 'first':
            return unmeasured + best
        if self.unmeasured == 'last':
            return best + unmeasured
        for node in unmeasured:  # each place equally likely, for each of them
            best.insert(rng.randrange(len(best) + 1), node)
        return best

    def turn(self, node, snapshot):
        """Return what breaks a tie before chance does: the turn it was last put first."""
        return snapshot.of(node).last_turn

    def explain(self, node, candidates, snapshot, now):
        """Say why `node` stands where it stands."""
        if self.knows(node, snapshot, now):
            return self.reason(node, snapshot)
        state = 'unmeasured' if self.measure(node, snapshot) is None else 'measure expired'
        return f'{state}: {PLACES[self.unmeasured]}'

    def reason(self, node, snapshot):
        """Say the cost of `node` in the words of the policy's formula."""
        raise NotImplementedError
