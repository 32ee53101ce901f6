"""The phases of the load on four equal proxies.

    calm    open loop, half of MAX: agents learn how fast a proxy answers without a queue
    peak    closed loop, as many clients as keep all slots busy: what can be served
    open    open loop, twice MAX; clients give a request up after client_timeout
    after   open loop, half of MAX: how soon everything is normal again
    hammer  closed loop, many more clients, which ask again at once when they are refused

MAX, slots / mean of all proxies, is some 100 a second. Twice as many arrive, and two cores can
serve 250 reads that make a hop. In the open loop rate x client_timeout requests are under way,
fewer than MAX_UNDER_WAY of support/load.py.
"""
from typing import NamedTuple

from bench.dispatchers.scenarios import CLOSED, OPEN, SLOTS, LabScenario

PROXIES = 4
CALM, PEAK, OVERLOAD, AFTER, HAMMER = 'calm', 'peak', 'open', 'after', 'hammer'
BELOW, TWICE = 0.5, 2.0         # of MAX
ENOUGH, MANY = 6, 32            # clients of a proxy in a closed loop


class Phase(NamedTuple):
    scenario: LabScenario
    seconds: float

    @property
    def name(self):
        return self.scenario.name

    @property
    def half(self):
        """The second of the phase at which its second half begins, which is measured: by then the
        rates have settled.
        """
        return self.seconds / 2


def phases(seconds, mean, client_timeout):
    """Return the Phases in order; `open` lasts `seconds`, the others a fixed part of that."""
    means = (mean,) * PROXIES

    def phase(name, load, long, **what):
        return Phase(LabScenario(name, load, means, PROXIES, PROXIES, slots=SLOTS,
                                 client_timeout=client_timeout, **what), max(1.0, long * seconds))
    return [phase(CALM, OPEN, 0.4, part=BELOW), phase(PEAK, CLOSED, 0.6, clients=ENOUGH),
            phase(OVERLOAD, OPEN, 1.0, part=TWICE), phase(AFTER, OPEN, 0.25, part=BELOW),
            phase(HAMMER, CLOSED, 0.5, clients=MANY)]
