"""What clients do, one after the other, to four proxies alike.

    calm    open loop, half of MAX: agents learn what a proxy answers while nobody waits
    peak    closed loop, as many clients as keep all slots busy: what can be served
    open    open loop, twice MAX, of clients that give a request up after their patience
    after   open loop, half of MAX: how soon all is as it was
    hammer  closed loop, many more clients, who ask again at once when they are refused

MAX is slots / mean of all: some 100 a second, and twice that comes, while two cores can do 250
reads that make a hop. In the open loop rate x patience requests are under way, fewer than
support/load.py sends (MAX_UNDER_WAY).
"""
from typing import NamedTuple

from bench.dispatchers.scenarios import CLOSED, OPEN, SLOTS, Scenario

PROXIES = 4
CALM, PEAK, OVERLOAD, AFTER, HAMMER = 'calm', 'peak', 'open', 'after', 'hammer'
BELOW, TWICE = 0.5, 2.0         # of MAX
ENOUGH, MANY = 6, 32            # clients of a proxy in a closed loop


class Phase(NamedTuple):
    """One of those above."""

    scenario: Scenario
    seconds: float

    @property
    def name(self):
        """Its name."""
        return self.scenario.name

    @property
    def half(self):
        """Where the second half of it begins: what counts, for a level is found by then."""
        return self.seconds / 2


def phases(seconds, mean, patience):
    """Return all Phases; the one with the overload has so many `seconds`."""
    means = (mean,) * PROXIES

    def phase(name, load, long, **what):
        return Phase(Scenario(name, load, means, PROXIES, PROXIES, slots=SLOTS, patience=patience,
                              **what), max(1.0, long * seconds))
    return [phase(CALM, OPEN, 0.4, part=BELOW), phase(PEAK, CLOSED, 0.6, clients=ENOUGH),
            phase(OVERLOAD, OPEN, 1.0, part=TWICE), phase(AFTER, OPEN, 0.25, part=BELOW),
            phase(HAMMER, CLOSED, 0.5, clients=MANY)]
