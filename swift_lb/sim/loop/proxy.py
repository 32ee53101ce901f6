"""A simulated proxy: slots, and one queue, first come first served; its speed may change."""
from collections import deque


class Proxy:
    """A simulated proxy: serves `slots` Requests at once; calls done() of each when served."""

    def __init__(self, name, kind, agenda, rng):
        self.name, self.slots, self.slow, self.hung = name, kind.slots, 1.0, False
        self.busy, self.served = 0, 0
        self.waited = 0.0       # seconds that all requests served so far took
        self._work, self._busy_since = 0.0, 0.0
        self._rate, self._agenda, self._rng = 1 / kind.service, agenda, rng
        self._waiting = deque()

    @property
    def in_flight(self):
        """The number of requests that have come and are not yet answered."""
        return self.busy + len(self._waiting)

    def serve(self, request):
        """Take a Request into the queue, and start it if fewer than `slots` are being served."""
        request.served_by, request.came_at = self.name, self._agenda.now
        request.before = self.in_flight
        self._waiting.append(request)
        self._start_waiting()

    def hang(self, hung):
        """Start no more requests from now on (True), or go on (False)."""
        self.hung = hung
        self._start_waiting()

    def worked(self):
        """Return the seconds of service so far, added up over all requests that occupied slots."""
        now = self._agenda.now
        self._work += self.busy * (now - self._busy_since)
        self._busy_since = now
        return self._work

    def _start_waiting(self):
        """Start waiting requests while slots are free; drop those whose clients have given up."""
        waiting, agenda = self._waiting, self._agenda
        while waiting and self.busy < self.slots and not self.hung:
            request = waiting.popleft()
            if request.ended:
                self._report_end(request, False)
                continue
            self.worked()
            self.busy += 1
            agenda.at(agenda.now + self._rng.expovariate(self._rate) * self.slow, self._end,
                      request)

    def _end(self, request):
        self.worked()
        self.busy -= 1
        self.served += 1
        self.waited += self._agenda.now - request.came_at
        self._report_end(request, True)
        self._start_waiting()
        request.done()

    def _report_end(self, request, served):
        if request.on_end:
            request.on_end(request, served)
