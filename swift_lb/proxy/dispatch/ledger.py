"""What this host knows of each backend, for a policy to see: the book of its dispatchers.

Requests in flight, turns, successes and errors are of all workers (proxy/host_book.py). What a peer
says with its answers, what has gone through, and who has just failed, each worker knows by itself.
"""
from swift_lb.dispatch.outlook import Outlook
from swift_lb.model import Backend, Forecast, Node, NodeLoad, Part, RequestFacts, Snapshot, Traffic

EJECTED, LONGEST = 1.0, 30.0    # seconds a peer is left alone after a failure, and at most


class Record:
    """What one worker knows of one backend."""

    __slots__ = ('bytes', 'choices_before', 'ejected_until', 'failures', 'node', 'outlook')

    def __init__(self, backend):
        self.node = Node(*backend)      # as the book has it
        self.bytes = self.failures = self.choices_before = 0
        self.ejected_until = 0.0
        self.outlook = Outlook()

    def passed(self, count):
        """Count bytes of a body that have gone through."""
        self.bytes += count

    def answered(self):
        """Note that the peer has answered."""
        self.failures = 0

    def failed(self, now):
        """Leave the peer alone for a while, for longer each time it fails again.

        What fails meanwhile was with it before: many at once are one failure.
        """
        if now < self.ejected_until:
            return
        self.ejected_until = now + min(LONGEST, EJECTED * 2 ** self.failures)
        self.failures = min(self.failures + 1, 8)


class Ledger:
    """The records of one worker, and the book of all."""

    def __init__(self, book):
        """`book()` returns the LoadBook; it may become another while we run."""
        self._book = book
        self._records = {}      # Backend -> Record

    def of(self, backend):
        """Return the Record of `backend`.

        Who is new has been chosen as often, and been through as much, as the least of the others:
        else policies that count would send it everything until it has caught up with them.
        """
        found = self._records.get(backend)
        if found is None:
            found, others = Record(backend), self._records
            found.bytes = min((other.bytes for other in others.values()), default=0)
            own = self._choices(found.node)
            found.choices_before = max(0, min(
                (self._choices(other.node) + other.choices_before for other in others.values()),
                default=own) - own)
            self._records[backend] = found
        return found

    def _choices(self, node):
        return self._book().snapshot((node,)).of(node).choices

    def keep(self, backends):
        """Forget all others; what is in flight to them ends by itself."""
        for backend in self._records.keys() - set(backends):
            del self._records[backend]

    def begin(self, backend, now):
        """Begin a request to `backend`; return its Read, which ends when it is dropped."""
        return self._book().begin(self.of(backend).node, now)

    def in_flight(self, backend):
        """Return how many requests of this host `backend` has not answered to the end."""
        return self._book().in_flight(self.of(backend).node)

    def chosen(self, backend, now):
        """Note that `backend` has been put first."""
        self._book().chosen(self.of(backend).node, now)

    def load(self, backend):
        """Return the NodeLoad of `backend` in the book."""
        node = self.of(backend).node
        return self._book().snapshot((node,)).of(node)

    def forecast(self, backend, now, typical):
        """Return the Forecast of a peer, None if nothing is known; `typical` seconds here."""
        load, outlook = self.load(backend), self.of(backend).outlook
        since = load.waiting_since
        return outlook.forecast(load.in_flight, now, typical, 0.0 if since is None else now - since)

    def snapshot(self, parts, forecasts, here, asked, in_flight, counts):
        """Return the Snapshot of {Backend: Part}, {Backend: Forecast}.

        `here` is this proxy, `in_flight` how many requests it has; `counts`: with what the book
        counts of each.
        """
        loads = {}
        for backend, part in parts.items():
            evidence, forecast = {Part: part}, forecasts.get(backend)
            if forecast is not None:
                evidence[Forecast] = forecast
            loads[backend] = (self._counted(backend, evidence) if counts else
                              NodeLoad(evidence=evidence))
        loads[here] = loads[here]._replace(in_flight=in_flight)
        return Snapshot(loads, common={RequestFacts: asked, Backend: here})

    def _counted(self, backend, evidence):
        record, known = self.of(backend), self.load(backend)
        if record.bytes:
            evidence[Traffic] = Traffic(record.bytes)
        return NodeLoad(in_flight=known.in_flight, successes=known.successes,
                        errors=known.errors + known.timeouts,
                        choices=known.choices + record.choices_before,
                        last_turn=known.last_turn, evidence=evidence)
