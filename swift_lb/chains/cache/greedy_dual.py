"""Which results a cache keeps within its budget of bytes: GreedyDual-Size. Pure.

    H = L + seconds / size      set when an entry is put in, and again at each hit
    L = H of the last entry that was evicted, at first 0

    seconds     that a hit saves
    size        bytes that the entry takes

The entry with the least H is evicted; of equal ones, the one that was put in or hit longest ago.
Since L rises, an entry that is no longer asked for is evicted in the end, whatever it has cost.

Cao and Irani, "Cost-Aware WWW Proxy Caching Algorithms" (USITS 1997), with the seconds as the cost.
Their k-competitiveness holds for any costs and sizes.
"""
from heapq import heapify, heappop, heappush
from itertools import count
from typing import NamedTuple

SPARE = 64      # outdated places in the heap, besides one for each entry, before it is made anew


class Entry(NamedTuple):
    """What a GreedyDual knows of one key."""

    size: int           # bytes
    seconds: float      # that a hit saves
    priority: float     # H
    turn: int           # rises with each entry and each hit


class GreedyDual:
    """The keys in a cache, and which of them go when a new one needs their room."""

    def __init__(self, budget):
        """Take the bytes that all entries together may have."""
        self.budget, self.bytes, self.floor = budget, 0, 0.0    # the floor is L
        self._entries, self._heap, self._turns = {}, [], count()

    def __len__(self):
        """Return the number of entries."""
        return len(self._entries)

    def __contains__(self, key):
        """Return whether there is an entry with this key."""
        return key in self._entries

    def __getitem__(self, key):
        """Return the Entry of a key."""
        return self._entries[key]

    def put(self, key, size, seconds):
        """Put an entry in; return the keys that are evicted for it.

        Each entry with the same key is replaced. One that is larger than the budget is not put in,
        and evicts nothing.
        """
        self.remove(key)
        if not 0 < size <= self.budget:
            return []
        evicted = self._make_room(size)
        self._set(key, size, seconds, self.floor + seconds / size)
        return evicted

    def _make_room(self, size):
        """Evict entries until there is room for `size` more bytes; return their keys."""
        evicted = []
        while self.bytes + size > self.budget:
            priority, turn, key = heappop(self._heap)
            entry = self._entries.get(key)
            if entry is not None and entry.turn == turn:
                self.remove(key)
                self.floor = priority
                evicted.append(key)
        return evicted

    def hit(self, key):
        """Note that an entry was used; return its new H."""
        size, seconds, _priority, _turn = self._entries[key]
        priority = self.floor + seconds / size
        self._set(key, size, seconds, priority)
        return priority

    def remove(self, key):
        """Take an entry out, if there is one; L does not change."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.bytes -= entry.size

    def restore(self, entries):
        """Put in (key, size, seconds, H) of an earlier process; return the keys with no room left.

        L becomes the least H, of which it never was more.
        """
        evicted = []
        for key, size, seconds, priority in sorted(entries, key=lambda entry: -entry[3]):
            if self.bytes + size > self.budget:
                evicted.append(key)
            else:
                self._set(key, size, seconds, priority)
                self.floor = priority
        return evicted

    def hottest(self, most):
        """Return the keys with the greatest H, `most` of them at most."""
        # nlargest() takes three times as long to find 10,000 of 30,000.
        return sorted(self._entries, key=lambda key: self._entries[key][2:], reverse=True)[:most]

    def _set(self, key, size, seconds, priority):
        before = self._entries.get(key)
        self.bytes += size - (before.size if before is not None else 0)
        entry = self._entries[key] = Entry(size, seconds, priority, next(self._turns))
        heappush(self._heap, (priority, entry.turn, key))
        if len(self._heap) > 2 * len(self._entries) + SPARE:
            self._heap = [(each.priority, each.turn, name) for name, each in self._entries.items()]
            heapify(self._heap)
