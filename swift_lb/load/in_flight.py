"""Reads sent to one node and not yet answered, and how long the node has kept one waiting."""


class InFlight:
    """Count the reads of one node; know since when the longest-waiting of them waits.

    A read waits while the proxy is blocked on the node: for the first byte, then for each chunk. It
    does not wait while a slow client takes its time over what the node has already delivered.
    Reads are named by any hashable, so that keeping the count keeps no read alive.
    """

    __slots__ = ('_reads', '_waiting', 'queued')

    def __init__(self):
        self.queued = 0     # reads sent of whose answer nothing has come
        self._reads = set()
        self._waiting = {}  # name -> instant; insertion order is order of waiting, oldest first

    def begin(self, name, now):
        """Count the read `name`, waiting since `now`."""
        self.queued += 1
        self._reads.add(name)
        self._waiting[name] = now

    def answered(self):
        """Note that the answer of one of the reads has begun to come, or never will."""
        self.queued -= 1

    def wait(self, name, now):
        """Note that the read `name` waits again since `now`; ignored once it has ended."""
        if name in self._reads:
            self._waiting.setdefault(name, now)

    def served(self, name):
        """Note that the node has delivered what the read `name` waited for."""
        self._waiting.pop(name, None)

    def end(self, name):
        """Stop counting the read `name`; a second end is harmless."""
        self._reads.discard(name)
        self._waiting.pop(name, None)

    @property
    def waiting(self):
        """How many reads wait."""
        return len(self._waiting)

    def waits(self, name):
        """Return whether the read `name` is one of them."""
        return name in self._waiting

    def view(self):
        """Return (reads sent and not yet answered, the instant since which one waits or None)."""
        waiting = self._waiting
        return len(self._reads), next(iter(waiting.values()), None)
