"""The paper's four combinations of its two levels, and the load of each of its two figures."""
from typing import NamedTuple

from bench.dispatchers.scenarios import CLOSED, LabScenario

SIZES = (2, 4, 6)               # proxies
SLOTS, MEAN = 2, 0.25           # slots of a proxy, seconds a request: eight a second for each
DIST = 'constant'               # or one half of the proxies is, by chance, faster than the other
CLIENTS = 6                     # for each proxy, three a slot: all are busy; more than four a slot
                                # are an overload, of which dispatchers refuse a part
ALL, HALF = 'Figure 5', 'Figure 6'      # which proxies get requests
SAYS = {ALL: 'all proxies receive requests', HALF: 'only half of the proxies receive requests'}


class Combination(NamedTuple):
    """Which of the two levels are in use: DNS, the dispatcher, both or none."""

    name: str           # as in the paper
    dns: bool           # swift-lb-dns says where clients connect to; else round robin
    dispatcher: bool


NONE, DNS, DISP, BOTH = COMBINATIONS = (
    Combination('none', False, False), Combination('dns', True, False),
    Combination('disp', False, True), Combination('dns_disp', True, True))


def scenarios(sizes, mean):
    """Return a LabScenario for each figure and number of proxies; `mean`: seconds a request."""
    return [LabScenario(figure, CLOSED, (mean,) * proxies, proxies,
                        proxies if figure == ALL else proxies // 2, CLIENTS, SLOTS,
                        dist=DIST)
            for proxies in sizes for figure in (ALL, HALF)]


def runs(block):
    """Return the [(figure, Combination)] of the block with this number, in their order.

    Those with dispatchers and those without are grouped, since proxies restart between the groups;
    Figure 5 comes first in a group, before the uneven load of Figure 6 is known to agents.
    """
    return [(figure, one) for dispatcher in (False, True)[::-1 if block % 2 else 1]
            for figure in (ALL, HALF)
            for one in COMBINATIONS[::-1 if block % 2 else 1] if one.dispatcher == dispatcher]
