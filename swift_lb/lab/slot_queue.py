"""A first-come-first-served queue with a number of slots, and random service times.

A ticket, any hashable, stands for a request. The caller passes the time. The owner of a ticket
sleeps until the ticket's end, then calls leave(). The next ticket's service then starts at that
end, not when the owner woke, so a late timer costs no capacity: it is exactly slots / mean.
"""
import math
import random
from collections import deque


class SlotQueue:
    """A queue of tickets, one for each request: at most `slots` are in service, the rest wait."""

    def __init__(self):
        """Start without a limit of slots and without service times: every ticket passes at once."""
        self.slots = None
        self._times = None
        self.ends = {}             # ticket in service -> when its service ends
        self.waiting = deque()     # (ticket, its time of arrival)

    def configure(self, slots, times, now):
        """Set the number of `slots` and the iterator `times` of service times in seconds.

        None for `slots` removes the limit: all tickets are done at once. Returns the tickets whose
        service starts or ends now, so that the caller can wake them.
        """
        self.slots, self._times = slots, times
        if slots is not None:
            return self._fill(now)
        released = [*self.ends, *(ticket for ticket, _came in self.waiting)]
        self.waiting.clear()
        self.ends = dict.fromkeys(released, now)
        return released

    def arrive(self, ticket, now):
        """Put `ticket`, a request, in service if a slot is free, else at the end of the queue."""
        self.waiting.append((ticket, now))
        self._fill(now)

    def end(self, ticket):
        """Return the instant at which the service of `ticket`, a request, ends; None: it waits."""
        return self.ends.get(ticket)

    def leave(self, ticket, now):
        """Remove `ticket`, a request; return the list of the tickets whose service starts now."""
        freed = self.ends.pop(ticket, None)
        if freed is None:
            self.waiting = deque(entry for entry in self.waiting if entry[0] != ticket)
            return []
        return self._fill(min(freed, now))

    def _fill(self, freed):
        """Put waiting tickets in the slots free since the instant `freed`; return these tickets."""
        started = []
        while self.waiting and (self.slots is None or len(self.ends) < self.slots):
            ticket, came = self.waiting.popleft()
            start = max(came, freed)
            self.ends[ticket] = start + (next(self._times) if self._times else 0)
            started.append(ticket)
        return started


SIGMA = 1.0  # of the lognormal's logarithm: a coefficient of variation of 1.31, a longer tail

DRAW = {
    'constant': lambda rng, mean: mean,
    'exponential': lambda rng, mean: rng.expovariate(1 / mean),
    # The mean of a lognormal is exp(mu + sigma^2 / 2).
    'lognormal': lambda rng, mean: rng.lognormvariate(math.log(mean) - SIGMA ** 2 / 2, SIGMA),
}


def stream(*key):
    """Return a random.Random seeded with all of `key`, such as a seed, a node and a device."""
    return random.Random('/'.join(map(str, key)))


def service_times(rule, rng):
    """Yield, for ever, random service times in seconds: by mean, distribution, pauses of `rule`."""
    draw = DRAW[rule.dist]
    while True:
        pauses = rule.pause and rng.random() < rule.pause
        yield draw(rng, rule.mean) + (rule.pause_time if pauses else 0.0)
