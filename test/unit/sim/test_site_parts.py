"""The servers and links of simulated clusters."""
import random
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import FETCH, LOCAL, Route
from swift_lb.sim.agenda import Agenda
from swift_lb.sim.sites.link import SharedLink
from swift_lb.sim.sites.outcome import SiteRecord, site_outcome
from swift_lb.sim.sites.setting import SITE_SETTINGS, SiteSetting
from swift_lb.sim.sites.station import Station
from swift_lb.sim.sites.world import neighbours

WORK = st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.01, 1.0)), min_size=1, max_size=20)


def sent(rate, bodies, changes=()):
    """Return [instant at which each of `bodies`, (instant, bytes), is sent] over one link."""
    agenda, ends = Agenda(), [None] * len(bodies)
    link = SharedLink(agenda, rate)

    def end(number):
        ends[number] = agenda.now

    def begin(number):
        link.send(bodies[number][1], partial(end, number))
    for number, (at, _size) in enumerate(bodies):
        agenda.at(at, begin, number)
    for at, new in changes:
        agenda.at(at, link.set_rate, new)
    agenda.run(1e6)
    return ends


@given(WORK)
def test_a_station_serves_the_first_that_comes_first(work):
    station, ends = Station(1), []
    for at, seconds in sorted(work):
        station.expect(at, seconds)
        ends.append(station.take(at, seconds))
    assert ends == sorted(ends)


@given(WORK, st.floats(0.0, 2.0), st.floats(0.01, 1.0), st.integers(1, 4))
def test_a_station_foretells_the_end_of_a_request_exactly(work, at, seconds, slots):
    foretold, real = Station(slots), Station(slots)
    for one in work:
        foretold.expect(*one)
        real.expect(*one)
    expected = foretold.end_of(at, seconds)
    for one in sorted(one for one in work if one[0] <= at):
        real.take(*one)
    real.expect(at, seconds)
    assert expected == real.take(at, seconds)


def test_bodies_share_a_link_equally():
    assert [2.0, 3.0] == pytest.approx(sent(100.0, [(0.0, 100), (0.0, 200)]))
    assert [1.5, 2.0] == pytest.approx(sent(100.0, [(0.0, 100), (0.5, 100)]))


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=10))
def test_a_link_foretells_the_end_of_a_body_exactly(sizes):
    agenda = Agenda()
    link, ends = SharedLink(agenda, 100.0), []
    for size in sizes[1:]:
        link.send(size, int)
    expected = link.seconds(sizes[0])
    link.send(sizes[0], lambda: ends.append(agenda.now))
    agenda.run(1e6)
    assert [pytest.approx(expected)] == ends


def test_a_body_waits_while_its_link_does_not_work():
    assert [13.0] == pytest.approx(sent(100.0, [(0.0, 300)], [(1.0, 0.0), (11.0, 100.0)]))
    assert [2.0] == pytest.approx(sent(100.0, [(0.0, 300)], [(1.0, 200.0)]))


def test_a_cluster_knows_those_beside_it_and_at_most_eighteen():
    assert ['b'] == neighbours(['a', 'b'], 0)
    assert {'a', 'c'} == {*neighbours(['a', 'b', 'c'], 1)}
    names = [str(number) for number in range(100)]
    assert {str(number % 100) for number in range(-9, 10) if number} == {*neighbours(names, 0)}


def test_turns_count_flows_that_go_back_by_five_points():
    flows = {'steady': [0.5] * 6, 'small': [0.50, 0.53] * 3, 'large': [0.5, 0.6] * 3}
    turned = {}
    for name, flow in flows.items():
        record = SiteRecord(SiteSetting('one', '', seconds=60.0, warm_up=0.0))
        for window, fraction in enumerate(flow):
            for number in range(100):
                leaves = number < round(100 * fraction)
                record.record_begin(10.0 * window, 'c1', Route('c2', FETCH) if leaves else
                                    Route('c1', LOCAL))
        record.record_answer(1.0, 0.1, LOCAL)
        turned[name] = site_outcome(record).turns
    assert {'steady': 0.0, 'small': 0.0, 'large': 4.0} == turned


def test_clients_of_a_setting_would_ask_for_its_load():
    setting = SITE_SETTINGS['spill']
    rate = setting.clients_of(0) / (setting.think + setting.service)
    assert 2.0 == pytest.approx(rate / setting.capacity, rel=0.01)
    assert setting.clients_of(1) == setting.clients_of(7) < setting.clients_of(0)


@given(st.integers(0, 9))
def test_random_bodies_take_as_long_as_their_bytes(seed):
    rng = random.Random(seed)
    bodies = [(0.0, rng.randint(1, 1000)) for _body in range(10)]
    assert sum(size for _at, size in bodies) / 50.0 == pytest.approx(max(sent(50.0, bodies)))
