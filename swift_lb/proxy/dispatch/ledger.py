"""What this worker knows of each backend, for its policy to see.

Requests of other workers, and of other proxies, show in what the peer says with its answers: how
many it has in all (dispatch/outlook.py).
"""
from swift_lb.dispatch.outlook import Outlook
from swift_lb.model import Asked, Backend, Forecast, NodeLoad, Part, Snapshot, Traffic

EJECTED, LONGEST = 1.0, 30.0    # seconds a peer is left alone after a failure, and at most


class Record:
    """One backend."""

    __slots__ = ('address', 'bytes', 'choices', 'ejected_until', 'errors', 'failures', 'in_flight',
                 'last_turn', 'outlook', 'successes')

    def __init__(self):
        self.in_flight = self.choices = self.last_turn = self.bytes = 0
        self.successes = self.errors = self.failures = 0
        self.ejected_until = 0.0
        self.outlook = Outlook()

    def passed(self, count):
        """Count bytes of a body that have gone through."""
        self.bytes += count

    def answered(self):
        """Note that the peer has answered."""
        self.successes += 1
        self.failures = 0

    def failed(self, now):
        """Leave the peer alone for a while, for longer each time it fails again."""
        self.errors += 1
        self.ejected_until = now + min(LONGEST, EJECTED * 2 ** self.failures)
        self.failures = min(self.failures + 1, 8)


class Ledger:
    """The records of one worker."""

    def __init__(self):
        self._records = {}      # Backend -> Record
        self._turn = 0

    def of(self, backend):
        """Return the Record of `backend`.

        Who is new has been chosen as often, and been through as much, as the least of the others:
        else policies that count would send it everything until it has caught up with them.
        """
        found = self._records.get(backend)
        if found is None:
            found, others = Record(), self._records.values()
            found.choices = min((other.choices for other in others), default=0)
            found.bytes = min((other.bytes for other in others), default=0)
            self._records[backend] = found
        return found

    def keep(self, backends):
        """Forget all others that nothing is in flight to."""
        for backend, record in list(self._records.items()):
            if backend not in backends and not record.in_flight:
                del self._records[backend]

    def chosen(self, backend):
        """Note that `backend` has been put first."""
        record = self.of(backend)
        self._turn += 1
        record.choices += 1
        record.last_turn = self._turn

    def snapshot(self, parts, forecasts, here, asked, in_flight):
        """Return the Snapshot of {Backend: Part}, {Backend: Forecast}.

        `here` is this proxy, `in_flight` how many requests it has.
        """
        self.of(here).in_flight = in_flight
        return Snapshot({backend: self._load(backend, part, forecasts.get(backend))
                         for backend, part in parts.items()},
                        common={Asked: asked, Backend: here})

    def _load(self, backend, part, forecast):
        record = self.of(backend)
        evidence = {Part: part}
        if forecast is not None:
            evidence[Forecast] = forecast
        if record.bytes:
            evidence[Traffic] = Traffic(record.bytes)
        return NodeLoad(in_flight=record.in_flight, successes=record.successes,
                        errors=record.errors, choices=record.choices, last_turn=record.last_turn,
                        evidence=evidence)
