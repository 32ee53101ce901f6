"""x."""


class Knee:
    """x."""

    reject = critical = None

    def update(self, load, throughput):
        """x."""
