"""adaptive: the proxy with the least expected time, but this proxy unless a peer is much sooner.

    cost          = seconds + hop
    this proxy    is first if  its cost <= (1 + band) x least cost of the peers that are up
    peers         by cost     NEAR: of costs that differ by less than 5 % either may be first

    seconds   until the head of the answer, if the backend had one more request now, and
    hop       to send it there, 0 for this proxy: both of the backend's Forecast
    band      0.25, the stay-local band: forecasts are not exact enough for less to be worth a hop
    up        the backend's NodeInstruction has the state `up`, or it has no NodeInstruction

A backend without a Forecast costs the mean of those with one, and is never best: it comes behind
this proxy, or behind the best known peer if this proxy is no candidate. A peer that is not up comes
behind all that are; the state of this proxy does not count, as its own forecast includes its load.

The caller passes two of the peers, drawn at random (`choices`), so that not all dispatchers choose
the peer that is best by reports that all have received: the power of two choices
(policy/in_flight.py). A peer's forecast includes what this proxy has sent to it since its report.

Source: ours. The band is after Envoy's load_aware_locality (2026), which stays in its locality up
to 0.1 of utilisation above that of others; here the band is of time, and relative. Expected time
instead of load: Prequal (NSDI 2024), "load is not what you should balance".
"""
from math import inf

from swift_lb.model import UP, Backend, Forecast, NodeInstruction
from swift_lb.policy.backends.weights import nearly
from swift_lb.policy.duration import milliseconds

NEAR = 0.05


class ExpectedFirst:
    """Order proxies by expected time, but this one first if at most 1 + band times the best's."""

    choices, counts = 2, False

    def __init__(self, options):
        self.band = options.band

    def stays(self, own, here, elsewhere):
        """Return whether this proxy comes first: `here` is at most 1 + band times `elsewhere`.

        These are expected seconds, of this proxy (None: True) and of the best peer; `own`, the
        NodeInstruction of this proxy, is not used.
        """
        return here is None or here <= (1.0 + self.band) * elsewhere

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by cost, this proxy first if stays() is true of its cost."""
        here = snapshot.common.get(Backend)
        costs = {backend: down_and_cost(snapshot.of(backend)) for backend in candidates}
        known = [cost for _down, cost in costs.values() if cost is not None]
        typical = sum(known) / len(known) if known else 0.0
        if here not in costs:
            return [rank[-1] for rank in self._ranked(costs, None, typical, rng)]
        _down, own = costs.pop(here)    # the others are left
        if own is None:
            own = typical
        ranked = self._ranked(costs, own, typical, rng)
        ordered = [rank[-1] for rank in ranked]
        if self.stays(None, own, least_cost_up(costs.values())):
            return [here, *ordered]
        ordered.insert(max(1, sum(rank < (False, own) for rank in ranked)), here)
        return ordered

    def _ranked(self, costs, own, typical, rng):
        """Return (not up, cost, unknown, random draw, backend) for each of `costs`, the best first.

        `own` is the cost of this proxy or None, `typical` the mean of the known costs.
        """
        ranked, unknown = [], []
        for backend, (down, cost) in costs.items():
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
        """Return whether there is a Forecast of `backend`."""
        return snapshot.of(backend).evidence.get(Forecast) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Return, as text, the Forecast of `backend`, and that a peer is not up, if so.

        For this proxy the text has the greatest time with which it still comes first.
        """
        reason = forecast_words(snapshot.of(backend).evidence.get(Forecast))
        if backend != snapshot.common.get(Backend):
            down, _cost = down_and_cost(snapshot.of(backend))
            return reason + (', behind all that are up' if down else '')
        best = least_cost_up(down_and_cost(snapshot.of(other)) for other in candidates
                             if other != backend)
        if best == inf:
            return f'this proxy: {reason}, and nothing is known of another'
        return (f'this proxy: {reason}, first up to {milliseconds((1.0 + self.band) * best)}, '
                f'{self.band:.0%} above the best of the others')


def down_and_cost(load):
    """Return (whether the backend is not up, its cost in seconds or None) from its NodeLoad."""
    evidence = load.evidence
    instructed, forecast = evidence.get(NodeInstruction), evidence.get(Forecast)
    return (instructed is not None and instructed.state != UP,
            None if forecast is None else forecast.seconds + forecast.hop)


def least_cost_up(pairs):
    """Return the least known cost of (down, cost) `pairs` that are not down, infinite if none."""
    return min((cost for down, cost in pairs if cost is not None and not down), default=inf)


def forecast_words(forecast):
    """Return a Forecast as text; without one (None), how the backend is treated."""
    if forecast is None:
        return 'nothing known: estimated as the mean of the others, and never first'
    return (f'expected {milliseconds(forecast.seconds + forecast.hop)} = '
            f'{milliseconds(forecast.seconds)} + {milliseconds(forecast.hop)} to get there')
