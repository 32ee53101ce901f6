"""Requests in flight, their rate, and their response time, from the totals of a host's book."""
import pytest

from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import make_sensors

NAMES = ('in_flight', 'requests', 'response_time')


class Book:
    """A book that is asked for its totals."""

    def __init__(self):
        self.said, self.asked = Totals(3, 100, 80, 8.0), 0

    def totals(self):
        self.asked += 1
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.fixture
def book():
    return Book()


@pytest.fixture
def sensors(book):
    """Return the three sensors, read once, at 0 s."""
    sensors = make_sensors({name: {} for name in NAMES}, book.totals)
    assert (3.0, None, None) == read(sensors, 0.0)
    return sensors


def read(sensors, now):
    return tuple(sensors[name].read(now) for name in NAMES)


def test_the_rate_is_of_requests_that_are_over_and_the_time_of_those_answered(book, sensors):
    book.said = Totals(5, 162, 100, 13.0)       # 3 were there, and 62 have come; 5 are left
    assert (5.0, 30.0, 0.25) == read(sensors, 2.0)


def test_the_time_is_that_of_the_last_interval(book, sensors):
    book.said = Totals(5, 160, 100, 13.0)
    read(sensors, 1.0)
    book.said = Totals(5, 160, 102, 13.5)
    assert (5.0, 0.0, 0.25) == read(sensors, 2.0)


def test_a_host_that_serves_nothing_has_no_response_time(book, sensors):
    book.said = Totals(0, 100, 80, 8.0)
    assert (0.0, 3.0, None) == read(sensors, 1.0)
    assert 'no GET or HEAD has been answered' == sensors['response_time'].fault


@pytest.mark.parametrize('said', [
    Totals(0, 2, 90, 9.0), Totals(0, 200, 2, 9.0), Totals(0, 200, 90, 1.0)])
def test_a_book_started_again_is_unknown_for_one_reading(book, sensors, said):
    book.said = said
    assert (None, None, None) == read(sensors, 1.0)
    book.said = said._replace(in_flight=1, begun=said.begun + 10)
    assert (1.0, 9.0, None) == read(sensors, 2.0)


def test_without_a_book_all_is_unknown_and_one_that_comes_is_new(book, sensors):
    book.said = None
    assert (None, None, None) == read(sensors, 1.0)
    assert 'book' in sensors['in_flight'].fault
    book.said = Totals(4, 1000, 1000, 1000.0)       # it is not that of before
    assert (4.0, None, None) == read(sensors, 2.0)


def test_a_book_that_can_not_be_read_is_unknown_to_all_three(book, sensors):
    book.said = ValueError('not a book')
    assert (None, None, None) == read(sensors, 1.0)
    assert {'ValueError: not a book'} == {sensor.fault for sensor in sensors.values()}


def test_totals_that_can_not_be_are_unknown(book, sensors):
    book.said = Totals(-1, 100, 81, float('nan'))
    assert (None, 4.0, None) == read(sensors, 1.0)


def test_the_book_is_asked_once_a_tick(book, sensors):
    for now in (1.0, 2.0):
        read(sensors, now)
    assert 3 == book.asked


def test_each_can_be_read_by_itself(book):
    sensors = make_sensors({'requests': {}}, book.totals)
    assert sensors['requests'].read(0.0) is None
    assert 'read for the first time' == sensors['requests'].fault
    book.said = Totals(0, 110, 80, 8.0)
    assert 13.0 == sensors['requests'].read(1.0)
