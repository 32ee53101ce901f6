"""Does it cost answers to refuse requests? Tried, by those who refuse. Pure.

While a `share` of less than LITTLE is refused:

    base += (answers a second - base) x w           w = 1 - e^(-dt / SMOOTH)

While more is, from rate = base and mean = 0 on:

    rate += (answers a second - rate) x w
    mean += (share - mean) x w
    base - rate > max(mean / 2 x base, SURE x sqrt(base / SMOOTH)): more than half of those who were
    refused would have been answered, and it is not chance. Nothing is refused for HOLD seconds

Where there is a queue for something that is busy, as much is answered whoever is refused. Where all
merely takes long, because a disk or a network has become slow, each one who is refused is one
answered less. From what is in flight and from how long it takes the two look the same, until it has
been tried: requests that take a second more are that many more in flight.

When an overload ends the rate falls, too, but by then there is no queue, and nothing is refused.

    SMOOTH = 10 s   two such means of a Poisson process differ by sqrt(base / SMOOTH), one standard
                    deviation, by chance
    SURE = 4        of those: 25 % of 25 answers a second, 13 % of 100. It is looked at each second,
                    and a wrong verdict leaves an overload to itself
    LITTLE = 0.1    of what comes
    HOLD = 120 s    a trial of some ten seconds in so many costs some hundredths of the answers
"""
import math

SMOOTH, HOLD = 10.0, 120.0
LITTLE, SURE = 0.1, 4.0


class Trial:
    """Watch one proxy."""

    __slots__ = ('_answered', '_at', '_base', '_mean', '_rate', '_until')

    def __init__(self):
        self._at = self._base = self._rate = None
        self._answered, self._mean, self._until = 0, 0.0, -math.inf

    def costs(self, share, answered, now):
        """Return whether nothing is to be refused; `answered` are all answers so far.

        `share` is what has been refused since the last call.
        """
        passed = now - self._at if self._at is not None else 0.0
        if passed > 0.0:
            rate, weight = (answered - self._answered) / passed, 1 - math.exp(-passed / SMOOTH)
            self._take(share, rate, weight)
            less = self._base - self._rate
            if less > max(self._mean / 2 * self._base, SURE * math.sqrt(self._base / SMOOTH)):
                self._until = now + HOLD
        if self._at is None or passed > 0.0:
            self._at, self._answered = now, answered
        return now < self._until

    def _take(self, share, rate, weight):
        if self._base is None:
            self._base = rate
        if share < LITTLE:
            self._base += (rate - self._base) * weight
            self._rate, self._mean = self._base, 0.0
        else:
            self._rate = self._base if self._rate is None else self._rate
            self._rate += (rate - self._rate) * weight
            self._mean += (share - self._mean) * weight
