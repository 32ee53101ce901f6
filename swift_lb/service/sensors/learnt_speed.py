"""The speed of a link of which nobody tells it, learnt from the link at its limit."""

FLAT = 0.05         # fraction that rates at the limit differ by
RUN = 10            # readings
SPELLS = 3
LEFT = 0.8          # of the limit: below it a spell is over
LEAST = 100e6       # bits per second; a storage node has no slower link


class LearntSpeed:
    """The largest rate seen, if it looks like a limit.

    The largest rate is a lower bound of the speed, and no more: taken for the speed, it would make
    an idle link look full. A link at its limit runs flat, and comes back to the same limit. So the
    rate is believed to be the speed when RUN readings on end were within FLAT of it, in each of
    SPELLS spells, between which the rate fell below LEFT of it; and never a rate below LEAST.

    What is sent at an even rate, three times over, is taken for a limit too; the link then looks
    more loaded than it is, until a greater rate is seen. Whereupon all starts anew.
    """

    def __init__(self):
        self._last = self._limit = 0.0
        self._run = self._spells = 0

    def see(self, rate):
        """Learn from a reading, in bits per second.

        A reading that is late shows too great a rate, and the next one too small a rate: what
        counts is the lesser of two in turn.
        """
        rate, self._last = min(rate, self._last), rate
        if rate > self._limit * (1 + FLAT):
            self._limit, self._run, self._spells = rate, 1, 0
        elif rate >= self._limit * (1 - FLAT):
            self._run += 1
            self._spells += self._run == RUN
        elif rate < self._limit * LEFT or self._run < RUN:
            self._run = 0

    @property
    def speed(self):
        """Bits per second, or None as long as there is nothing to believe."""
        return self._limit if self._spells >= SPELLS and self._limit >= LEAST else None
