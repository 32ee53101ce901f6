"""Which peers are asked, and in which order, before this proxy serves a request itself. Pure."""
from math import inf

from swift_lb.dispatch.content import stay_margin
from swift_lb.dispatch.view import EMPTY
from swift_lb.model import UP, Forecast

# Why a request is served here: no peer is expected to answer it (enough) sooner, or the policy puts
# this proxy first; it is light; there is no peer to ask.
FIRST, LIGHT, ALONE = 'first', 'light', 'alone'
MOMENT = 0.02       # seconds for which the least that was expected of peers is used again


class Chooser:
    """Orders this proxy and its peers by the policy, for each request of one worker."""

    def __init__(self, policy, current, view_of, ledger, curve, rng):
        """Take a policy that orders backends, the worker's Ledger and Curve, and a random.Random.

        `current()` returns the Instruction that is valid now or None, `view_of(instruction)`
        returns its DispatchView.
        """
        self._policy, self._current, self._view_of = policy, current, view_of
        self.ledger, self._curve, self._rng = ledger, curve, rng
        self._least, self._least_until = inf, -inf
        self._stays = getattr(policy, 'stays', None)
        self.view = EMPTY       # of the last Instruction there was

    def follow(self):
        """Return the Instruction that is valid now, or None.

        If it is new, `view` becomes its DispatchView, and the Ledger's records learn its loads.
        """
        instruction = self._current()
        if instruction is not None and instruction is not self.view.instruction:
            view = self.view = self._view_of(instruction)
            self.ledger.retain(view.nodes)
            for peer in view.peers:
                self.ledger.record(peer).outlook.instruct(
                    view.nodes[peer], view.nodes.get(view.here))
        return instruction

    def elsewhere(self, now):
        """Return the least seconds in which a peer that is up would answer, infinite if none is up.

        Without an Instruction it is 0; a peer without a forecast counts as 0 seconds.
        """
        if self.follow() is None or self.view.here is None:
            return 0.0
        peers = [peer for peer in self.askable(now) if self.view.nodes[peer].state == UP]
        known = self.forecasts(peers, 0, now)
        return min((known[peer].seconds if peer in known else 0.0 for peer in peers), default=inf)

    def stays(self, in_flight, now):
        """Return why this proxy serves any request itself now (ALONE or FIRST), None if a peer may.

        `in_flight` is the number of its requests. ALONE: no peer has a forecast; FIRST: none is
        quick enough. It takes 3 us, as forecasts of peers are kept for MOMENT seconds.
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
        """Return the least forecast plus hop of any peer, in seconds; infinite without a peer."""
        if self.follow() is None or self.view.here is None:
            return inf
        forecasts = self.forecasts(self.askable(now), 0, now)
        forecasts.pop(self.view.here, None)
        return min((each.seconds + each.hop for each in forecasts.values()), default=inf)

    def order(self, facts, in_flight, now):
        """Return (peers to ask in turn before this proxy serves the request, why none is asked).

        `facts` are the RequestFacts, `in_flight` is the number of requests at this proxy. The
        reason, ALONE, FIRST or LIGHT, holds only if there is no peer to ask.
        """
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
        """Return (the candidates, best first; the Snapshot by which the policy ordered them)."""
        here, nodes = self.view.here, self.view.nodes
        forecasts = self.forecasts(candidates, in_flight, now) if self._policy.choices else {}
        snapshot = self.ledger.snapshot({backend: nodes[backend] for backend in candidates},
                                        forecasts, here, facts, in_flight, self._policy.counts)
        return self._policy.order(candidates, snapshot, now, self._rng), snapshot

    def _candidates(self, now):
        """Return this proxy and random peers, as many as the policy's `choices`; None means all."""
        peers, wanted = self.askable(now), self._policy.choices
        if wanted is not None and len(peers) > wanted:
            peers = self._rng.sample(peers, wanted)
        return [self.view.here, *peers]

    def askable(self, now):
        """Return the peers that the Instruction permits to ask, less those ejected for failures."""
        record = self.ledger.record
        return [peer for peer in self.view.peers if record(peer).ejected_until <= now]

    def forecasts(self, candidates, in_flight, now):
        """Return {Backend: Forecast} of this proxy and of `candidates`; unknown ones are absent.

        `in_flight` is the number of requests at this proxy. If its own forecast is unknown, the
        result is {}, since peers cannot be compared with it.
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
    """Return whether a request stays `here`, although the policy has put the proxy `first` first.

    A LIGHT one stays unless `first` answers sooner by stay_margin(); one of another class `content`
    only if `here` answers sooner, by the Forecasts in `snapshot`. False if one of these is unknown.
    """
    theirs, ours = (snapshot.of(backend).evidence.get(Forecast) for backend in (first, here))
    return None not in (theirs, ours) and first != here and stay_margin(content).keeps(
        ours.seconds, theirs.seconds + theirs.hop)
