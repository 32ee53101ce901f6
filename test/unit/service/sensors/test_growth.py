"""Counters between two reads: what is not known is not a number."""
import pytest

from swift_lb.service.sensors.growth import Growth, fraction
from swift_lb.service.sensors.unknown import UnknownError


@pytest.fixture
def growth():
    """Return a Growth that has been read once, at 10 s."""
    growth = Growth()
    with pytest.raises(UnknownError, match='first time'):
        growth.since_last(10.0, {'a': 5, 'b': 100})
    return growth


def test_it_is_the_difference_of_two_reads(growth):
    assert (2.0, {'a': 3, 'b': 0}) == growth.since_last(12.0, {'a': 8, 'b': 100})
    assert (1.0, {'a': 1, 'b': 1}) == growth.since_last(13.0, {'a': 9, 'b': 101})


def test_a_counter_that_has_gone_back_is_unknown_once(growth):
    with pytest.raises(UnknownError, match='gone back'):
        growth.since_last(11.0, {'a': 6, 'b': 99})
    assert (1.0, {'a': 0, 'b': 1}) == growth.since_last(12.0, {'a': 6, 'b': 100})


def test_a_counter_that_is_new_makes_all_unknown_once(growth):
    with pytest.raises(UnknownError, match='first time'):
        growth.since_last(11.0, {'a': 6, 'b': 100, 'c': 7})
    assert (1.0, {'a': 1, 'b': 1, 'c': 1}) == growth.since_last(12.0, {'a': 7, 'b': 101, 'c': 8})


def test_one_that_has_left_is_not_missed_and_is_new_when_it_comes_back(growth):
    assert (1.0, {'a': 1}) == growth.since_last(11.0, {'a': 6})
    with pytest.raises(UnknownError, match='first time'):
        growth.since_last(12.0, {'a': 6, 'b': 100})


@pytest.mark.parametrize('now', [10.0, 9.0])
def test_without_time_there_is_no_rate(growth, now):
    with pytest.raises(UnknownError, match='no time'):
        growth.since_last(now, {'a': 6, 'b': 100})


@pytest.mark.parametrize(('part', 'whole', 'expected'), [
    (0, 4, 0.0), (1, 4, 0.25), (4, 4, 1.0),
    (5, 4, 1.0),    # the instants of the reads are a bit off
])
def test_fractions(part, whole, expected):
    assert expected == fraction(part, whole)


@pytest.mark.parametrize(('part', 'whole'), [
    (5.1, 4), (-1, 4), (0, 0), (1, 0), (0, -1), (float('nan'), 4), (1, float('nan'))])
def test_what_is_no_fraction_is_unknown(part, whole):
    with pytest.raises(UnknownError):
        fraction(part, whole)
