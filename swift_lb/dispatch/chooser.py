"""Which proxies are asked for a request, in which order: peers, or this one at once. Pure."""
from math import inf

from swift_lb.dispatch.content import stay_margin
from swift_lb.dispatch.view import EMPTY
from swift_lb.model import UP, Forecast

# Why a request is served here: no peer is expected to answer it (enough) sooner, or the policy puts
# this proxy first; it is light; there is no peer to ask.
FIRST, LIGHT, ALONE = 'first', 'light', 'alone'
MOMENT = 0.02       # seconds for which the least that was expected of peers is used again


class Chooser:
    """Orders this proxy and its peers by the policy for each request of one worker."""

    def __init__(self, policy, current, view_of, ledger, curve, rng):
        """Take a policy of backends, the worker's Ledger and Curve, and a random.Random.

        `current()` returns the Instruction that holds now or None, `view_of(instruction)` returns
        its DispatchView.
        """
        self._policy, self._current, self._view_of = policy, current, view_of
        self.ledger, self._curve, self._rng = ledger, curve, rng
        self._least, self._least_until = inf, -inf
        self._stays = getattr(policy, 'stays', None)
        self.view = EMPTY       # of the last Instruction there was

    def follow(self):
        """Return the Instruction that holds now, or None; keep the DispatchView of the last one."""
        instruction = self._current()
        if instruction is not None and instruction is not self.view.instruction:
            view = self.view = self._view_of(instruction)
            self.ledger.retain(view.nodes)
            for peer in view.peers:
                self.ledger.record(peer).outlook.instruct(
                    view.nodes[peer], view.nodes.get(view.here))
        return instruction

    def elsewhere(self, now):
        """Return the least seconds in which a peer that is up would answer, infinite without one.

        0 if unknown: without an Instruction, or of a peer that has not answered yet.
        """
        if self.follow() is None or self.view.here is None:
            return 0.0
        peers = [peer for peer in self.askable(now) if self.view.nodes[peer].state == UP]
        known = self.forecasts(peers, 0, now)
        return min((known[peer].seconds if peer in known else 0.0 for peer in peers), default=inf)

    def stays(self, in_flight, now):
        """Return why a request, whatever it is, is served here; None if it may go elsewhere.

        It uses forecasts of peers that are up to MOMENT seconds old, so it takes 3 us. Most
        requests need no more than this.
        """
        if self._stays is None:
            return None
        if now >= self._least_until:
            self._least, self._least_until = self._least_of_peers(now), now + MOMENT
        if self._stays(self.view.nodes.get(self.view.here),
                       self._curve.expected(in_flight, now), self._least):
            return ALONE if self._least == inf else FIRST
        return None

    def _least_of_peers(self, now):
        """Return the least seconds in which a peer would answer, infinite if none can be asked."""
        if self.follow() is None or self.view.here is None:
            return inf
        forecasts = self.forecasts(self.askable(now), 0, now)
        forecasts.pop(self.view.here, None)
        return min((each.seconds + each.hop for each in forecasts.values()), default=inf)

    def order(self, facts, in_flight, now):
        """Return (peers to ask in turn before this proxy serves it, why it does without any)."""
        if self.follow() is None or self.view.here is None:
            return [], ALONE
        candidates = self._candidates(now)
        if len(candidates) < 2:
            return [], ALONE
        order, snapshot = self.ranked(candidates, facts, in_flight, now)
        why = FIRST
        if self._policy.choices and is_kept(order[0], self.view.here, snapshot, facts.content):
            order, why = [self.view.here], LIGHT
        if self._policy.counts:
            self.ledger.chosen(order[0], now)
        return order[:order.index(self.view.here)], why

    def ranked(self, candidates, facts, in_flight, now):
        """Return (all candidates, best first, the Snapshot that they were ordered by)."""
        here, nodes = self.view.here, self.view.nodes
        forecasts = self.forecasts(candidates, in_flight, now) if self._policy.choices else {}
        snapshot = self.ledger.snapshot({backend: nodes[backend] for backend in candidates},
                                        forecasts, here, facts, in_flight, self._policy.counts)
        return self._policy.order(candidates, snapshot, now, self._rng), snapshot

    def _candidates(self, now):
        """Return this proxy and as many of the peers that may be asked as the policy wants."""
        peers, wanted = self.askable(now), self._policy.choices
        if wanted is not None and len(peers) > wanted:
            peers = self._rng.sample(peers, wanted)
        return [self.view.here, *peers]

    def askable(self, now):
        """Return the peers that the Instruction lets be asked, without ejected ones."""
        record = self.ledger.record
        return [peer for peer in self.view.peers if record(peer).ejected_until <= now]

    def forecasts(self, candidates, in_flight, now):
        """Return {Backend: Forecast} of this proxy and of `candidates`; unknown ones are absent.

        {} without a forecast of this proxy, with which the others are compared.
        """
        here, known = self.view.here, {}
        expected = self._curve.expected(in_flight, now)
        if expected is None:
            return known
        known[here] = Forecast(expected, 0.0)
        for backend in candidates:
            if backend != here:
                forecast = self.ledger.forecast(backend, now, self._curve.mean_seconds)
                if forecast is not None:
                    known[backend] = forecast
        return known


def is_kept(first, here, snapshot, content):
    """Return whether a request of class `content` stays as it is light, `first` being better."""
    theirs, ours = (snapshot.of(backend).evidence.get(Forecast) for backend in (first, here))
    return None not in (theirs, ours) and first != here and stay_margin(content).keeps(
        ours.seconds, theirs.seconds + theirs.hop)
