"""A first-come-first-served queue for a number of slots, and random streams of service times.

Tickets are any hashable, and the caller passes the time. The owner of a ticket sleeps until its
end, and then calls leave(). A queue that is never empty starts the next service at the end of the
last one, not when its owner woke up, so that a late timer costs no capacity, which is exactly
slots / mean.
"""
import math
import random
from collections import deque


class SlotQueue:
    """Tickets in service, at most as many as there are slots, and tickets that wait."""

    def __init__(self):
        """Start open: without a limit of slots and without service times."""
        self.slots = None
        self._times = None
        self.ends = {}             # ticket in service -> when its service ends
        self.waiting = deque()     # (ticket, its time of arrival)

    def configure(self, slots, times, now):
        """Set the number of `slots` and the iterator of `times`; return the tickets to wake.

        `slots` None opens the queue: all tickets are done at once.
        """
        self.slots, self._times = slots, times
        if slots is not None:
            return self._fill(now)
        released = [*self.ends, *(ticket for ticket, _came in self.waiting)]
        self.waiting.clear()
        self.ends = dict.fromkeys(released, now)
        return released

    def arrive(self, ticket, now):
        """Put `ticket` in service if a slot is free, else at the end of the queue."""
        self.waiting.append((ticket, now))
        self._fill(now)

    def end(self, ticket):
        """Return the instant at which the service of `ticket` ends; None while it waits for a slot.
        """
        return self.ends.get(ticket)

    def leave(self, ticket, now):
        """Remove `ticket`, served or not; return the tickets whose service starts now."""
        freed = self.ends.pop(ticket, None)
        if freed is None:
            self.waiting = deque(entry for entry in self.waiting if entry[0] != ticket)
            return []
        return self._fill(min(freed, now))

    def _fill(self, freed):
        """Start waiting tickets while slots are free, none before the instant `freed`; return them.
        """
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
    """Return a random.Random seeded by `key`, such as (seed, node, device)."""
    return random.Random('/'.join(map(str, key)))


def service_times(rule, rng):
    """Yield seconds for ever, of the distribution of `rule`, pauses included."""
    draw = DRAW[rule.dist]
    while True:
        pauses = rule.pause and rng.random() < rule.pause
        yield draw(rng, rule.mean) + (rule.pause_time if pauses else 0.0)
