"""The paper's four combinations of its two levels, and what each of its two figures asks."""
from typing import NamedTuple

from bench.dispatchers.scenarios import CLOSED, Scenario

SIZES = (2, 4, 6)               # proxies
SLOTS, MEAN = 2, 0.25           # slots of a proxy, seconds a request: eight a second for each
DIST = 'constant'               # or one half of the proxies is, by chance, faster than the other
CLIENTS = 6                     # for each proxy, three a slot: all are busy; more than four a slot
                                # are an overload, of which dispatchers refuse a part
ALL, HALF = 'Figure 5', 'Figure 6'      # who is asked
SAYS = {ALL: 'all proxies receive requests', HALF: 'only half of the proxies receive requests'}


class Combination(NamedTuple):
    """Which of the levels there are."""

    name: str           # as in the paper
    dns: bool           # swift-lb-dns says where clients connect to; else round robin
    dispatcher: bool


NONE, DNS, DISP, BOTH = COMBINATIONS = (
    Combination('none', False, False), Combination('dns', True, False),
    Combination('disp', False, True), Combination('dns_disp', True, True))


def scenarios(sizes, mean):
    """Return a Scenario for each figure and number of proxies."""
    return [Scenario(figure, CLOSED, (mean,) * proxies, proxies,
                     proxies if figure == ALL else proxies // 2, CLIENTS, SLOTS,
                     dist=DIST)
            for proxies in sizes for figure in (ALL, HALF)]


def runs(block):
    """Return the (figure, Combination)s of a block, in their order: Figure 5 on quiet agents.

    Those with and those without dispatchers stand together: proxies are started anew between.
    """
    return [(figure, one) for dispatcher in (False, True)[::-1 if block % 2 else 1]
            for figure in (ALL, HALF)
            for one in COMBINATIONS[::-1 if block % 2 else 1] if one.dispatcher == dispatcher]
