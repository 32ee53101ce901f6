"""A cluster is left out before its routes are computed only if it cannot be sooner."""
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.gaining import gaining
from swift_lb.dispatch.places import place_of
from swift_lb.dispatch.routes import FarRegion, KnownCluster, PendingRead, routes
from swift_lb.model import (
    LOCAL,
    ClientPath,
    ClusterLink,
    Clusters,
    ClusterSummary,
    HeardCluster,
    Route,
    TimeForecast,
)

NETWORK = '10.0.0.0/24'
SECONDS = st.floats(0.0, 1.0)
RATES = st.floats(1e4, 1e9)


def places(link, path=None, seconds=0.01):
    """Return the Places of eu, and of ucsb with this link, path and seconds until a head."""
    heard = HeardCluster(ClusterSummary('', 'n', 1, 1, 0.0, 2.0, '', 1, 1.0, 1.0), 0.0)
    known = Clusters('ksu', {'ucsb': heard, 'eu': heard}, {'ucsb': link},
                     times={'ucsb': {'small': TimeForecast(seconds, 0.0, 0.0)}},
                     paths={'ucsb': {NETWORK: path}} if path else {})
    return {name: place_of(name, known, 'small') for name in known.others}


@given(size=st.floats(0, 1e9), head=SECONDS, rtt=SECONDS, rate=RATES, seconds=SECONDS,
       client=st.tuples(SECONDS, *[RATES | st.just(math.inf)] * 2),
       window=st.just(0.0) | st.floats(1e4, 1e9), path=st.none() | st.tuples(SECONDS, RATES),
       more=st.integers(-9, 9), follows=st.booleans())
def test_what_is_left_out_could_not_be_sooner(size, head, rtt, rate, seconds, client, window, path,
                                              more, follows):
    link = ClusterLink('ucsb', rtt, 0.0, 0.0, rate, 0.0)
    path = path and ClientPath(NETWORK, *path)
    known = places(link, path, seconds)
    read = PendingRead(size, 'small', head, client=Way(*client), network=NETWORK, follows=follows)
    if gaining(read, ['ucsb'], known) == ['ucsb']:
        return
    costs = routes(read, 'ksu', [KnownCluster(known['ucsb'], window, more, True)])
    local = costs.pop(Route('ksu', LOCAL)).seconds
    assert len(costs) == 1 + follows
    assert min(cost.seconds for cost in costs.values()) >= local * (1 - 1e-9)


def read_of(**fields):
    """Return a PendingRead whose head takes 50 ms here, but for `fields`."""
    return PendingRead(10_000, 'small', 0.05, network=NETWORK)._replace(**fields)


@pytest.mark.parametrize(('read', 'path', 'expected'), [
    (read_of(), None, ['ucsb']), (read_of(head=0.02), None, []),
    (read_of(size=1e6), None, []), (read_of(size=1e6, client=Way(0.0, 2e6)), None, ['ucsb']),
    (read_of(head=0.0, follows=True), None, []),
    (read_of(head=0.0, follows=True), ClientPath(NETWORK, 0.01, 1e6), []),
    (read_of(head=0.0, follows=True, client=Way(0.08, 2e5)), ClientPath(NETWORK, 0.01, 1e6),
     ['ucsb']),
    (read_of(head=0.0, far=FarRegion('ucsb', Way(0.04, 1e6))), None, ['ucsb', 'eu']),
    (read_of(head=0.0, parts={}), None, ['ucsb', 'eu'])])
def test_a_cluster_stays_if_a_fetch_or_a_redirect_to_a_known_network_can_be_sooner(
        read, path, expected):
    known = places(ClusterLink('ucsb', 0.02, 0.0, 0.0, 2e6, 0.0), path)
    assert expected == gaining(read, ['ucsb', 'eu'], known)


def test_where_nothing_is_known_of_any_cluster_that_is_told():
    known = places(ClusterLink('ucsb', 0.02, 0.0, 0.0, 2e6, 0.0))
    assert gaining(read_of(), ['eu'], known) is None
    assert gaining(read_of(), ['us'], known) is None
