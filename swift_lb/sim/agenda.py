"""The agenda: virtual time, and the calls that are due in it."""
import heapq


class Agenda:
    """Calls functions in the order of their instants; equal instants in the order of insertion.

    Instants are seconds of virtual time. The order depends on nothing but the insertions, so a run
    can be repeated exactly.
    """

    def __init__(self):
        self.now = 0.0
        self._heap = []
        self._number = 0

    def at(self, instant, call, subject):
        """Schedule `call(subject)` for the instant `instant` of virtual time."""
        self._number += 1
        heapq.heappush(self._heap, (instant, self._number, call, subject))

    def run(self, until):
        """Make all calls that are due up to the instant `until`; later calls stay on the agenda."""
        heap, pop = self._heap, heapq.heappop
        while heap and heap[0][0] <= until:
            self.now, _number, call, subject = pop(heap)
            call(subject)
        self.now = until
