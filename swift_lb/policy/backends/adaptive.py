"""adaptive: where the answer is expected first, but here unless it is much sooner elsewhere.

    cost   = seconds + hop
    here   stays first if  cost(here) <= (1 + band) x least cost of the others that are up
    others by cost         NEAR: of costs that differ by less than 5 % either may be first

    seconds   until one more request would be answered there, and
    hop       that it takes to hand it over, 0 here: both of the backend's Forecast
    band      0.25, the stay-local band: a forecast is not so good that less would be worth a hop
    up        its NodeInstruction's state is `up`, or it has no NodeInstruction

The unknown cost the mean of those that are known, and are never best: behind this proxy, or if it
is not a candidate behind the best that is known. Another that is not up is behind all that are; the
state of this proxy does not count, as its own forecast says what its load is worth.

The caller gives it two of the others at random (`choices`), so that not all go to the one that is
best by news that all have had: the power of two choices (policy/two_choices.py). What it has sent
there since is to be in the forecast.

Source: ours. The band is after Envoy's load_aware_locality (2026), which stays in its locality up
to 0.1 of utilisation above the others'; here it is of time, and relative. Expected time instead of
load: Prequal (NSDI 2024), "load is not what you should balance".
"""
from math import inf

from swift_lb.model import UP, Backend, Forecast, NodeInstruction
from swift_lb.policy.backends.chance import nearly

NEAR = 0.05


class Adaptive:
    """Order by the expected time, this proxy first within the band."""

    choices, counts = 2, False

    def __init__(self, options):
        self.band = options.band

    def stays(self, part, here, there):
        """Return whether this proxy is first: seconds expected here, the least of all others."""
        return here is None or here <= (1.0 + self.band) * there

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, this proxy where the band puts it."""
        here = snapshot.common.get(Backend)
        seen = {backend: look(snapshot.of(backend)) for backend in candidates}
        known = [cost for _down, cost in seen.values() if cost is not None]
        typical = sum(known) / len(known) if known else 0.0
        if here not in seen:
            return [rank[-1] for rank in self._ranked(seen, None, typical, rng)]
        _down, own = seen.pop(here)     # what is left are the others
        if own is None:
            own = typical
        ranked = self._ranked(seen, own, typical, rng)
        found = [rank[-1] for rank in ranked]
        if self.stays(None, own, least(seen.values())):
            return [here, *found]
        found.insert(max(1, sum(rank < (False, own) for rank in ranked)), here)
        return found

    def _ranked(self, seen, own, typical, rng):
        """Return (down, cost, unknown, draw, backend) of all that are `seen`, the best first."""
        ranked, unknown = [], []
        for backend, (down, cost) in seen.items():
            if cost is None:
                unknown.append((down, backend))
            else:
                ranked.append((down, nearly(cost, NEAR, rng), False, rng.random(), backend))
        if unknown:
            best = own if own is not None else min(
                (rank[1] for rank in ranked if not rank[0]), default=0.0)
            ranked += [(down, max(typical, best), True, rng.random(), backend)
                       for down, backend in unknown]
        ranked.sort()
        return ranked

    def knows(self, backend, snapshot, now):
        """Return whether there is a forecast of `backend`."""
        return snapshot.of(backend).evidence.get(Forecast) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Say what is expected of `backend`, and what puts it first or behind."""
        said = expected(snapshot.of(backend).evidence.get(Forecast))
        if backend != snapshot.common.get(Backend):
            down, _cost = look(snapshot.of(backend))
            return said + (', behind all that are up' if down else '')
        best = least(look(snapshot.of(other)) for other in candidates if other != backend)
        if best == inf:
            return f'this proxy: {said}, and nothing is known of another'
        return (f'this proxy: {said}, first up to {(1.0 + self.band) * best * 1000:.3g} ms, '
                f'{self.band:.0%} above the best of the others')


def look(load):
    """Return (whether it is not up, seconds until it would answer or None) of a NodeLoad."""
    evidence = load.evidence
    part, forecast = evidence.get(NodeInstruction), evidence.get(Forecast)
    return (part is not None and part.state != UP,
            None if forecast is None else forecast.seconds + forecast.hop)


def least(seen):
    """Return the least cost that is known of those that are up, infinite if there is none."""
    return min((cost for down, cost in seen if cost is not None and not down), default=inf)


def expected(forecast):
    """Say a Forecast, or that there is none."""
    if forecast is None:
        return 'nothing known: taken for the mean of the others, and never first for it'
    return (f'expected {(forecast.seconds + forecast.hop) * 1000:.3g} ms = '
            f'{forecast.seconds * 1000:.3g} ms + {forecast.hop * 1000:.3g} ms to get there')
