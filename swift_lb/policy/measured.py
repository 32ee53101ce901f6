"""What the policies that measure have in common: expiry, the unmeasured, and ties.

A measure older than max_age is no measure (the paper's Table 2: "Measure expiration: yes"). The
paper gives no value; 300 s is what Swift's own `timing`, on which its prototype was built, takes
(timing_expiry). Shorter hurts: every expiry sends traffic back to a slow node.

Where an unmeasured node stands is an option as well. `first` is Swift's (timing -1.0) and the
default: by Equation 2 an unmeasured node would score 0 and stand last, and as the first node tried
would then be the only one measured, it would be the only one ever read. `last` is that literal
reading, kept so that the two can be compared.

Ties go round robin: the node put first longest ago comes first, then chance. Chance alone would do
for nodes nobody has met, and so does: none of them has had a turn.
"""

FIRST, LAST = 0, 2  # the rank of the unmeasured; the measured are between


class Measured:
    """Order by a cost computed from what has been measured, lowest first."""

    def __init__(self, options):
        self.max_age = options.max_age
        self._unmeasured = FIRST if options.unmeasured == 'first' else LAST

    def measure(self, node, snapshot):
        """Return (instant of the facts, cost), the cost to be minimised, or None without facts."""
        raise NotImplementedError

    def knows(self, node, snapshot, now):
        """Return whether the facts of `node` are there, and not older than max_age."""
        found = self.measure(node, snapshot)
        return found is not None and found[0] >= now - self.max_age

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by rank and cost; ties go round robin, then by chance."""
        oldest, measure, turn = now - self.max_age, self.measure, self.turn

        def key(node):
            found = measure(node, snapshot)
            if found is None or found[0] < oldest:
                return (self._unmeasured, 0.0, turn(node, snapshot), rng.random())
            return (1, found[1], turn(node, snapshot), rng.random())
        return sorted(candidates, key=key)

    def turn(self, node, snapshot):
        """Return what breaks a tie before chance does: the turn it was last put first."""
        return snapshot.of(node).last_turn

    def explain(self, node, snapshot, now):
        """Say why `node` stands where it stands."""
        if self.knows(node, snapshot, now):
            return self.reason(node, snapshot)
        state = 'unmeasured' if self.measure(node, snapshot) is None else 'measure expired'
        return f'{state}: tried {"first" if self._unmeasured == FIRST else "last"}'

    def reason(self, node, snapshot):
        """Say the cost of `node` in the words of the policy's formula."""
        raise NotImplementedError
