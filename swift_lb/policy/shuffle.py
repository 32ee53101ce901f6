"""LB-R: every order equally likely. Swift's default, the paper's round robin, our baseline."""


class Shuffle:
    """Order at random; Table 5 of the LB-RLT paper calls Swift's shuffling `LB-R`."""

    def __init__(self, options):
        pass

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in random order."""
        return rng.sample(candidates, len(candidates))

    def knows(self, node, snapshot, now):
        """Nothing needs to be known."""
        return True

    def explain(self, node, candidates, snapshot, now):
        """Say why `node` stands where it stands."""
        return 'at random'
