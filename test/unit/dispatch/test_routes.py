"""The routes of a read, and what is known of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch import cost
from swift_lb.dispatch.cost import WARM, Way
from swift_lb.dispatch.places import PlaceCache, place_of
from swift_lb.dispatch.routes import FarRegion, KnownCluster, PendingRead, routes
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

LINK = ClusterLink('ucsb', 0.08, 0.002, 0.0, 2.5e6, 1e5)
TIMES = {'small': TimeForecast(0.03, 0.004, 0.001)}
NEAR = Way(0.01, 1e7)
SECONDS, RATES = st.floats(0.0, 1.0), st.floats(1e4, 1e9)
NETWORK = '198.51.100.0/24'
READ = PendingRead(1_500_000, 'small', 0.02, client=NEAR, network=NETWORK, follows=True)
BODY = cost.to_client(1_500_000, NEAR)
PATHS = {NETWORK: ClientPath(NETWORK, 0.02, 5e6)}
SUMMARY = ClusterSummary('ucsb', 'n', 1, 1, 0.0, 2.0, '', 1, 1.0, 1.0)


def there_by(link=LINK, times=TIMES, paths=PATHS, summary=SUMMARY, name='ucsb'):
    """Return the KnownCluster `name`, for reads of small objects."""
    known = Clusters('ksu', {name: HeardCluster(summary, 0.0)}, {name: link}, (name,),
                     {name: times}, {name: paths})
    return KnownCluster(place_of(name, known, 'small'), window=WARM, more=3, trusted=True)


THERE = there_by()
TLS = there_by(summary=SUMMARY._replace(relays=('https://x:443',), url='https://x'))


def test_each_route_has_the_seconds_of_its_formula():
    known = routes(READ, 'ksu', [THERE], paper=True)
    way = Way(0.08, 2.5e6)
    assert {route: one.seconds for route, one in known.items()} == {
        Route('ksu', LOCAL): cost.local(0.02, NEAR, BODY),
        Route('ucsb', FETCH): cost.fetch(0.033, 1_500_000, NEAR, BODY, way, WARM),
        Route('ucsb', REDIRECT): cost.redirect(0.033, 1_500_000, NEAR, Way(0.02, 5e6))}
    assert known['ucsb', FETCH].paper == cost.paper_fetch(0.033, 1_500_000, NEAR, way)


def test_the_papers_seconds_here_have_the_transfer_of_data_of_another_region():
    far = READ._replace(far=FarRegion('ucsb', Way(0.08, 2.5e6)))
    for read, seconds in ((far, 0.02 + 1.5e6 / 2.5e6 + 1.5e6 / 1e7), (READ, 0.02 + 1.5e6 / 1e7)):
        assert seconds == pytest.approx(routes(read, 'ksu', [], paper=True)['ksu', LOCAL].paper)


@pytest.mark.parametrize(('more', 'head'), [
    (0.0, 0.03), (2.5, 0.0325), (-5.0, 0.025), (-15.0, 0.015), (-40.0, 0.015)])
def test_the_head_is_sooner_where_fewer_reads_are_than_usual_by_half_at_most(more, head):
    known = routes(READ, 'ksu', [THERE._replace(more=more)])
    assert head == pytest.approx(dict(known['ucsb', FETCH].terms)['head'])


@pytest.mark.parametrize('window', [WARM, 50_000, 0])
def test_the_terms_of_a_route_add_up_to_its_seconds(window):
    for one in routes(READ, 'ksu', [TLS._replace(window=window)]).values():
        assert one.seconds == pytest.approx(sum(seconds for _name, seconds in one.terms))
        assert all(seconds >= -1e-12 for _name, seconds in one.terms)


def test_the_error_of_a_route_is_that_of_its_forecasts():
    known = routes(READ, 'ksu', [THERE])
    assert known['ksu', LOCAL].error == 0.0
    assert known['ucsb', FETCH].error == pytest.approx(0.004 + 0.002 + 0.6 * 0.04)
    unsure = there_by(ClusterLink('ucsb', 0.08, None, 0.0, 2.5e6, None),
                      {'small': TimeForecast(0.03, None, 0.0)})
    assert routes(READ, 'ksu', [unsure])['ucsb', FETCH].error == pytest.approx(
        0.015 + 0.04 + 0.3)


def test_a_fetch_from_the_region_of_the_data_goes_over_the_same_link_as_a_read_here():
    read = READ._replace(far=FarRegion('ucsb', Way(0.08, 2.5e6)))
    known = routes(read, 'ksu', [THERE, there_by(name='eu')])
    assert {Route('ksu', LOCAL), Route('ucsb', FETCH)} == {
        route for route, one in known.items() if one.same_link}
    assert known['ksu', LOCAL].error == pytest.approx(0.004 + 2 * 0.002 + 0.6 * 0.04)
    assert known['ksu', LOCAL].error > known['ucsb', FETCH].error
    assert routes(read, 'ksu', [])['ksu', LOCAL].error == 0.0
    assert not any(one.same_link for one in routes(READ, 'ksu', [THERE]).values())


@given(size=st.floats(0, 1e9), rtt=SECONDS, rate=RATES, seconds=SECONDS, window=st.floats(0, 1e7),
       client=st.builds(Way, SECONDS, RATES, st.floats(0, 1e7), RATES),
       other=st.builds(Way, SECONDS, RATES))
def test_what_is_sooner_over_the_same_link_is_so_whatever_its_round_trip_and_rate(
        size, rtt, rate, seconds, window, client, other):
    def gain(way):
        link = ClusterLink('ucsb', way.rtt, 0.0, 0.0, way.bandwidth, 0.0)
        there = there_by(link, {'small': TimeForecast(seconds, 0.0, 0.0)}, {})._replace(
            window=window, more=0.0)
        read = PendingRead(size, 'small', seconds, client=client, far=FarRegion('ucsb', way))
        known = routes(read, 'ksu', [there])
        return known['ksu', LOCAL].seconds - known['ucsb', FETCH].seconds
    assert gain(Way(rtt, rate)) >= -1e-9 * (1 + size / rate)
    assert gain(other) >= -1e-9 * (1 + size / other.bandwidth)


def test_a_client_on_an_unknown_path_is_expected_to_come_by_way_of_here():
    unknown = there_by(paths={})
    by_way = cost.redirect(0.033, 1_500_000, NEAR, Way(0.09, 2.5e6))
    assert by_way == routes(READ, 'ksu', [unknown])['ucsb', REDIRECT].seconds


@pytest.mark.parametrize(('follows', 'trusted'), [(False, True), (True, False)])
def test_a_client_that_may_not_be_redirected_has_no_such_route(follows, trusted):
    known = routes(READ._replace(follows=follows), 'ksu',
                   [THERE._replace(trusted=trusted)])
    assert {*known} == {Route('ksu', LOCAL), Route('ucsb', FETCH)}


def test_an_object_that_is_absent_here_has_no_local_route():
    assert Route('ksu', LOCAL) not in routes(READ._replace(head=None), 'ksu', [THERE])


@pytest.mark.parametrize('there', [
    there_by(times={}), there_by(ClusterLink('ucsb', 0.08, 0.002, 0.0)), there_by(None)])
def test_a_cluster_of_which_too_little_is_known_has_no_route(there):
    assert {*routes(READ, 'ksu', [there])} == {Route('ksu', LOCAL)}


@pytest.mark.parametrize(('relays', 'url', 'trips'), [
    ((), '', (0, 0)), (('10.0.0.1:80',), 'http://x', (0, 0)),
    (('https://x:443', '10.0.0.1:80'), 'http://x', (1, 0)),
    (('10.0.0.1:80',), 'https://x', (0, 1))])
def test_a_handshake_of_tls_counts_as_a_round_trip(relays, url, trips):
    place = there_by(summary=SUMMARY._replace(relays=relays, url=url)).place
    assert trips == (place.tls, place.client_tls)


def test_places_are_computed_once_for_the_same_clusters():
    cache, known = PlaceCache(), Clusters('ksu', {'ucsb': HeardCluster(SUMMARY, 0.0)})
    assert cache.of(known, 'small') is cache.of(known, 'small')
    assert {'ucsb': place_of('ucsb', known, 'small')} == cache.of(known, 'small')
    near = known._replace(links={'ucsb': LINK})
    assert 0.08 == cache.of(near, 'small')['ucsb'].rtt
    assert cache.of(near, 'large') is not cache.of(near, 'small')


def test_data_in_another_region_are_read_over_the_way_there():
    far = Way(0.08, 2.5e6)
    known = routes(READ._replace(far=FarRegion('ucsb', far)), 'ksu', [])
    assert known['ksu', LOCAL].seconds == cost.region(0.02, 1_500_000, NEAR, BODY, far)


@pytest.mark.parametrize(('rtt', 'bandwidth'), [(0.07, 9e6), (0.02, 2.5e6)])
def test_a_link_carries_what_it_has_carried_to_clients_beyond_it(rtt, bandwidth):
    there = there_by(paths={NETWORK: ClientPath(NETWORK, rtt, 9e6)})
    fetched = routes(READ, 'ksu', [there])['ucsb', FETCH]
    assert fetched.seconds == cost.fetch(0.033, 1_500_000, NEAR, BODY, Way(0.08, bandwidth), WARM)
    # the link's bandwidth has an error, what a path has carried has none
    assert fetched.error == pytest.approx(0.006 + (0.6 * 0.04 if bandwidth == 2.5e6 else 0.0))
