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

from swift_lb.model import UNKNOWN

FIRST, LAST = 0, 2  # the rank of the unmeasured; the measured are between


class Measured:
    """Order by a cost computed from what has been measured, lowest first."""

    def __init__(self, options):
        self.max_age = options.max_age
        self._unmeasured = FIRST if options.unmeasured == 'first' else LAST

    def cost(self, load):
        """Return the number to minimise, or None if `load` lacks the facts; ignores their age."""
        raise NotImplementedError

    def measured_at(self, load):
        """Return the instant (seconds) of the fact the cost rests on, or None."""
        raise NotImplementedError

    def knows(self, load, now):
        """Return whether `load` holds the facts, and they are not older than max_age."""
        at = self.measured_at(load)
        return at is not None and at >= now - self.max_age

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by rank and cost; ties go round robin, then by chance."""
        oldest, known = now - self.max_age, snapshot.loads

        def key(node):
            load = known.get(node, UNKNOWN)
            at = self.measured_at(load)
            if at is None or at < oldest:
                return (self._unmeasured, 0.0, self.turn(load), rng.random())
            return (1, self.cost(load), self.turn(load), rng.random())
        return sorted(candidates, key=key)

    def turn(self, load):
        """Return what breaks a tie before chance does: the turn it was last put first."""
        return load.last_turn

    def explain(self, node, snapshot, now):
        """Say why `node` stands where it stands."""
        load = snapshot.of(node)
        if self.knows(load, now):
            return self.reason(load)
        state = 'unmeasured' if self.measured_at(load) is None else 'measure expired'
        return f'{state}: tried {"first" if self._unmeasured == FIRST else "last"}'

    def reason(self, load):
        """Say the cost of `load` in the words of the policy's formula."""
        raise NotImplementedError
