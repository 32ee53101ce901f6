"""Tries of the second-best route, and what is learnt from the reads that took a route."""
import random

from swift_lb.dispatch.gains import FEW, SPACING, TRY_EVERY
from swift_lb.dispatch.places import place_of
from swift_lb.dispatch.router import ClusterRouter
from swift_lb.dispatch.routes import PendingRead
from swift_lb.model import (
    FETCH,
    LOCAL,
    REDIRECT,
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    Route,
    TimeForecast,
)
from swift_lb.policy.clusters import make_cluster_policy

SUMMARY = ClusterSummary('ucsb', 'n', 1, 1, 0.0, 2.0, '', 1, 1.0, 1.0)
CLUSTERS = Clusters('ksu', {'ucsb': HeardCluster(SUMMARY, 0.0)},
                    {'ucsb': ClusterLink('ucsb', 0.08, 0.0, 0.0, 2.5e6, 0.0)}, ('ucsb',),
                    {'ucsb': {'small': TimeForecast(0.03, 0.0, 0.001)}})


def chosen_of(router, head=0.1, now=0.0):
    """Return the ChosenRoutes of a read whose head is expected here after `head` seconds."""
    known = [router.known(place_of('ucsb', CLUSTERS, 'small'))]
    return router.choose(PendingRead(1000, 'small', head), 'ksu', known, {}, now)


def make():
    return ClusterRouter(make_cluster_policy('adaptive'), random.Random(1))


def test_a_try_takes_the_second_best_route_and_is_marked():
    router = make()
    firsts = [chosen_of(router)[0] for _read in range(TRY_EVERY)]
    assert [LOCAL] * (TRY_EVERY - 1) + [FETCH] == [one.route.kind for one in firsts]
    assert [False] * (TRY_EVERY - 1) + [True] == [one.is_try for one in firsts]


def test_a_redirect_is_tried_as_its_cluster_tells_how_it_ended():
    router = make()
    path = {'ucsb': {'10.0.0.0/24': ClientPath('10.0.0.0/24', 0.05, 1e9)}}
    known = [router.known(place_of('ucsb', CLUSTERS._replace(paths=path), 'small'), trusted=True)]
    read = PendingRead(1000, 'small', 0.12, network='10.0.0.0/24', follows=True)
    tried = [one for _read in range(5 * TRY_EVERY)
             for one in router.choose(read, 'ksu', known, {}, 0.0) if one.is_try]
    assert [REDIRECT] * 5 == [one.route.kind for one in tried]
    costs = {one.route.kind: one.cost.seconds
             for one in router.choose(read, 'ksu', known, {}, 0.0)}
    assert costs[LOCAL] < costs[REDIRECT] < costs[FETCH]


def test_a_route_is_not_shut_because_tries_of_it_lose():
    router, now = make(), 0.0
    for number in range(2 * FEW * TRY_EVERY):
        now = number * SPACING
        best = chosen_of(router, now=now)[0]
        router.measured(best, 10 * best.cost.seconds, now)
    figures = router.gains.figures(now)[Route('ucsb', FETCH)]
    assert (2 * FEW, None, 0.0) == (figures.reads, figures.gain, figures.shut_for)


def test_a_fetched_read_makes_its_cluster_look_later_until_it_ends():
    router = make()
    before = chosen_of(router, head=1.0)[0]
    router.used(before, 0.0)
    during = chosen_of(router, head=1.0)[0]
    router.ended(before)
    assert FETCH == before.route.kind
    assert before.cost.seconds < during.cost.seconds
    assert before.cost == chosen_of(router, head=1.0)[0].cost
