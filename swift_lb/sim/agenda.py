"""Virtual time: what happens next, and when."""
import heapq


class Agenda:
    """Call functions in the order of their instants; equal instants in the order they were set.

    Instants are seconds of virtual time. The order depends on nothing but the calls, so a run can
    be repeated to the byte.
    """

    def __init__(self):
        self.now = 0.0
        self._heap = []
        self._number = 0

    def at(self, instant, call, subject):
        """Call `call(subject)` when the time is `instant`."""
        self._number += 1
        heapq.heappush(self._heap, (instant, self._number, call, subject))

    def run(self, until):
        """Go on to the instant `until`; what is set for later stays."""
        heap, pop = self._heap, heapq.heappop
        while heap and heap[0][0] <= until:
            self.now, _number, call, subject = pop(heap)
            call(subject)
        self.now = until
