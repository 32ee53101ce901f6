"""A queue for a number of slots, first come first served, with time as an argument.

Tickets are any hashable; the owner sleeps until a ticket's end, and then calls leave(). A queue
that is never empty starts the next service at the end of the last, not when its owner woke up, so
that a late timer costs no capacity: it is exactly slots / mean.
"""
from collections import deque


class SlotQueue:
    """Tickets in service (never more start than there are slots) and tickets that wait."""

    def __init__(self):
        """Begin open: no slots to wait for, no service time."""
        self.slots = None
        self._times = None
        self.ends = {}             # ticket in service -> when its service ends
        self.waiting = deque()     # (ticket, when it came)

    def configure(self, slots, times, now):
        """Have `slots` and draw service times from the iterator `times`; return whom to wake.

        `slots` None opens the queue: all that wait or are in service are done now.
        """
        self.slots, self._times = slots, times
        if slots is not None:
            return self._fill(now)
        released = [*self.ends, *(ticket for ticket, _came in self.waiting)]
        self.waiting.clear()
        self.ends = dict.fromkeys(released, now)
        return released

    def arrive(self, ticket, now):
        """Put `ticket` in service if a slot is free, else last in the queue."""
        self.waiting.append((ticket, now))
        self._fill(now)

    def end(self, ticket):
        """Return when the service of `ticket` ends; None while it waits."""
        return self.ends.get(ticket)

    def leave(self, ticket, now):
        """Take `ticket` out, served or not; return the tickets that are in service from now on."""
        freed = self.ends.pop(ticket, None)
        if freed is None:
            self.waiting = deque(entry for entry in self.waiting if entry[0] != ticket)
            return []
        return self._fill(min(freed, now))

    def _fill(self, freed):
        """Start who waits, not before both the ticket came and its slot was `freed`."""
        started = []
        while self.waiting and (self.slots is None or len(self.ends) < self.slots):
            ticket, came = self.waiting.popleft()
            start = max(came, freed)
            self.ends[ticket] = start + (next(self._times) if self._times else 0)
            started.append(ticket)
        return started
