"""Whom a worker asks: this proxy, or peers in turn. No I/O but a look at a file now and then."""
from swift_lb.dispatch.content import patience
from swift_lb.instruction_file import InstructionFile
from swift_lb.model import Forecast
from swift_lb.proxy.dispatch.view import NOBODY, view


class Chooser:
    """Orders this proxy and its peers by the policy, for one worker."""

    def __init__(self, policy, identity, ledger, curve, clock, rng):
        """`identity()` returns the Identity."""
        self._policy, self._identity = policy, identity
        self.ledger, self._curve = ledger, curve
        self._clock, self._rng = clock, rng
        self._file = self._path = self._instruction = None
        self.view = NOBODY      # of the last Instruction there was

    def instruction(self):
        """Return the Instruction that holds now, None without one; keep the View of it.

        Without a key nobody can be asked, whatever it says.
        """
        identity = self._identity()
        if not identity.keys:
            return None
        if identity.instruction_file != self._path:
            self._path = identity.instruction_file
            self._file = InstructionFile(self._path, self._clock)
        found = self._file.current()
        if found is not None and found is not self._instruction:
            self._instruction, self.view = found, view(found, identity.node)
            self.ledger.keep(self.view.parts)
            for peer in self.view.peers:
                self.ledger.of(peer).outlook.told(
                    self.view.parts[peer], self.view.parts.get(self.view.here))
        return found

    @property
    def fault(self):
        """Why there is no Instruction, None if there is."""
        return self._file and self._file.fault

    def order(self, asked, in_flight, now):
        """Return the peers to be asked in turn before this proxy serves it itself.

        `in_flight` are the requests that this proxy has.
        """
        if self.instruction() is None or self.view.here is None:
            return []
        candidates = self._candidates(now)
        if len(candidates) < 2:
            return []
        order, snapshot = self.arranged(candidates, asked, in_flight, now)
        if self._policy.choices and stays(order[0], self.view.here, snapshot, asked.content):
            order = [self.view.here]
        self.ledger.chosen(order[0])
        return order[:order.index(self.view.here)]

    def arranged(self, candidates, asked, in_flight, now):
        """Return (all candidates, best first, the Snapshot that they were ordered by)."""
        here, parts = self.view.here, self.view.parts
        snapshot = self.ledger.snapshot(
            {backend: parts[backend] for backend in candidates},
            self.forecasts(candidates, asked, in_flight, now), here, asked, in_flight)
        return self._policy.order(candidates, snapshot, now, self._rng), snapshot

    def _candidates(self, now):
        """Return this proxy and the peers that may be asked, or as many of them as are wanted."""
        of, rng = self.ledger.of, self._rng
        there = [peer for peer in self.view.peers if of(peer).ejected_until <= now]
        wanted = self._policy.choices
        if wanted is not None and len(there) > wanted:
            there = rng.sample(there, wanted)
        return [self.view.here, *there]

    def forecasts(self, candidates, asked, in_flight, now):
        """Return {Backend: Forecast} of those of which something is expected."""
        here, found = self.view.here, {}
        expected = self._curve.expected(in_flight, now)
        if expected is None:
            return found
        found[here] = Forecast(expected, 0.0)
        for backend in candidates:
            if backend != here:
                record = self.ledger.of(backend)
                forecast = record.outlook.forecast(record.in_flight, now, self._curve.usual)
                if forecast is not None:
                    found[backend] = forecast
        return found


def stays(first, here, snapshot, content):
    """Return whether a request of the class `content` stays here, though `first` is the better."""
    there, ours = (snapshot.of(backend).evidence.get(Forecast) for backend in (first, here))
    return None not in (there, ours) and first != here and patience(content).holds(
        ours.seconds, there.seconds + there.hop)
