"""Whom a worker asks: this proxy, or peers in turn. No I/O but a look at a file now and then."""
from math import inf

from swift_lb.dispatch.content import patience
from swift_lb.instruction_file import InstructionFile
from swift_lb.model import UP, Forecast
from swift_lb.proxy.dispatch.view import NOBODY, view

# Why a request is served here: nobody else is expected to answer it (so much) sooner, or the policy
# has it; it is light; there is nobody to ask.
FIRST, LIGHT, ALONE = 'first', 'light', 'alone'
MOMENT = 0.02       # seconds for which what is expected of peers is good enough to stay here


class Chooser:
    """Orders this proxy and its peers by the policy, for one worker."""

    def __init__(self, policy, identity, ledger, curve, clock, rng):
        """`identity()` returns the Identity."""
        self._policy, self._identity = policy, identity
        self.ledger, self._curve = ledger, curve
        self._clock, self._rng = clock, rng
        self._file = self._path = self._instruction = None
        self._floor, self._floor_until = inf, -inf
        self._quick = getattr(policy, 'stays', None)
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

    def elsewhere(self, now):
        """Return the least seconds in which a peer would answer, infinite if none is up.

        0 where nobody knows: without an Instruction, or of a peer that has not said anything yet.
        """
        if self.instruction() is None or self.view.here is None:
            return 0.0
        peers = [peer for peer in self.askable(now) if self.view.parts[peer].state == UP]
        known = self.forecasts(peers, 0, now)
        return min((known[peer].seconds if peer in known else 0.0 for peer in peers), default=inf)

    @property
    def fault(self):
        """Why there is no Instruction, None if there is."""
        return self._file and self._file.fault

    def stays(self, in_flight, now):
        """Return why any request would be served here, by what was expected a moment ago, or None.

        All that most requests need to know, in some 3 us.
        """
        if self._quick is None:
            return None
        if now >= self._floor_until:
            self._floor, self._floor_until = self._least(now), now + MOMENT
        if self._quick(self.view.parts.get(self.view.here),
                       self._curve.expected(in_flight, now), self._floor):
            return ALONE if self._floor == inf else FIRST
        return None

    def _least(self, now):
        """Return the least seconds in which a peer would answer, infinite if none can be asked."""
        if self.instruction() is None or self.view.here is None:
            return inf
        forecasts = self.forecasts(self.askable(now), 0, now)
        forecasts.pop(self.view.here, None)
        return min((each.seconds + each.hop for each in forecasts.values()), default=inf)

    def order(self, asked, in_flight, now):
        """Return (peers to be asked in turn before this proxy serves it, why it does if none is).

        `in_flight` are the requests that this proxy has.
        """
        if self.instruction() is None or self.view.here is None:
            return [], ALONE
        candidates = self._candidates(now)
        if len(candidates) < 2:
            return [], ALONE
        order, snapshot = self.arranged(candidates, asked, in_flight, now)
        why = FIRST
        if self._policy.choices and stays(order[0], self.view.here, snapshot, asked.content):
            order, why = [self.view.here], LIGHT
        if self._policy.counts:
            self.ledger.chosen(order[0], now)
        return order[:order.index(self.view.here)], why

    def arranged(self, candidates, asked, in_flight, now):
        """Return (all candidates, best first, the Snapshot that they were ordered by)."""
        here, parts = self.view.here, self.view.parts
        forecasts = self.forecasts(candidates, in_flight, now) if self._policy.choices else {}
        snapshot = self.ledger.snapshot({backend: parts[backend] for backend in candidates},
                                        forecasts, here, asked, in_flight, self._policy.counts)
        return self._policy.order(candidates, snapshot, now, self._rng), snapshot

    def _candidates(self, now):
        """Return this proxy and the peers that may be asked, or as many of them as are wanted."""
        there, wanted = self.askable(now), self._policy.choices
        if wanted is not None and len(there) > wanted:
            there = self._rng.sample(there, wanted)
        return [self.view.here, *there]

    def askable(self, now):
        """Return the peers that may be asked, but for those that have just failed."""
        of = self.ledger.of
        return [peer for peer in self.view.peers if of(peer).ejected_until <= now]

    def forecasts(self, candidates, in_flight, now):
        """Return {Backend: Forecast} of those of which something is expected."""
        here, found = self.view.here, {}
        expected = self._curve.expected(in_flight, now)
        if expected is None:
            return found
        found[here] = Forecast(expected, 0.0)
        for backend in candidates:
            if backend != here:
                forecast = self.ledger.forecast(backend, now, self._curve.usual)
                if forecast is not None:
                    found[backend] = forecast
        return found


def stays(first, here, snapshot, content):
    """Return whether a request of the class `content` stays here, though `first` is the better."""
    there, ours = (snapshot.of(backend).evidence.get(Forecast) for backend in (first, here))
    return None not in (there, ours) and first != here and patience(content).holds(
        ours.seconds, there.seconds + there.hop)
