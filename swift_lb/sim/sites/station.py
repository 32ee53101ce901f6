"""The servers of a simulated cluster: slots, and one queue, first come first served."""
from bisect import insort
from heapq import heapreplace


class Station:
    """Serves `slots` requests at once; when one comes, the instant of its end is known."""

    def __init__(self, slots):
        self.in_flight = 0          # requests that have come and are not served yet
        self._free = [0.0] * slots  # a heap: the instants from which each slot is free
        self._coming = []           # (instant, seconds of service) of requests under way to it

    def expect(self, at, seconds):
        """Note that a request will come at the instant `at`, whose service takes `seconds`."""
        insort(self._coming, (at, seconds))

    def take(self, now, seconds):
        """Take a request that was expected at `now`; return the instant at which it is served."""
        self._coming.remove((now, seconds))
        self.in_flight += 1
        return _serve(self._free, now, seconds)

    def ended(self):
        """Note that a request is served."""
        self.in_flight -= 1

    def end_of(self, at, seconds):
        """Return when a request would be served that came at the instant `at`, and took `seconds`.

        The instant is exact unless requests come before `at` that expect() does not know yet.
        """
        free = self._free[:]
        for before, work in self._coming:
            if before > at:
                break
            _serve(free, before, work)
        return _serve(free, at, seconds)


def _serve(free, now, seconds):
    """Give a request that comes `now` the first free slot of a heap; return when it is served."""
    end = max(now, free[0]) + seconds
    heapreplace(free, end)
    return end
