"""Sensors of requests in flight, their rate and response time, from a book's totals."""
import pytest

from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import make_sensors

NAMES = ('in_flight', 'requests', 'response_time')


class CountedBook:
    """Stands for a proxy's book; totals() returns, or raises, `counts`, which a test sets."""

    def __init__(self):
        self.counts, self.reads = Totals(3, 100, 80, 8.0), 0

    def totals(self):
        self.reads += 1
        if isinstance(self.counts, Exception):
            raise self.counts
        return self.counts


@pytest.fixture
def book():
    return CountedBook()


@pytest.fixture
def sensors(book):
    """Return {name: sensor} of the three NAMES, each read once, at 0 s."""
    sensors = make_sensors({name: {} for name in NAMES}, book.totals)
    assert (3.0, None, None) == read(sensors, 0.0)
    return sensors


def read(sensors, now):
    return tuple(sensors[name].read(now) for name in NAMES)


def test_sensors_read_the_number_rate_and_time_of_requests(book, sensors):
    book.counts = Totals(5, 162, 100, 13.0)       # 3 were there, and 62 have come; 5 are left
    assert (5.0, 30.0, 0.25) == read(sensors, 2.0)


def test_the_response_time_of_an_idle_host_is_unknown(book, sensors):
    book.counts = Totals(0, 100, 80, 8.0)
    assert (0.0, 3.0, None) == read(sensors, 1.0)
    assert 'no GET or HEAD has been answered' == sensors['response_time'].fault


@pytest.mark.parametrize('counts', [
    Totals(0, 2, 90, 9.0), Totals(0, 200, 2, 9.0), Totals(0, 200, 90, 1.0)])
def test_one_reading_is_unknown_when_the_proxys_counts_restart(book, sensors, counts):
    book.counts = counts
    assert (None, None, None) == read(sensors, 1.0)
    book.counts = counts._replace(in_flight=1, begun=counts.begun + 10)
    assert (1.0, 9.0, None) == read(sensors, 2.0)


def test_request_readings_are_unknown_without_the_proxys_counts(book, sensors):
    book.counts = None
    assert (None, None, None) == read(sensors, 1.0)
    assert 'book' in sensors['in_flight'].fault
    book.counts = Totals(4, 1000, 1000, 1000.0)       # it is not that of before
    assert (4.0, None, None) == read(sensors, 2.0)


def test_an_unreadable_file_of_counts_makes_all_readings_unknown(book, sensors):
    book.counts = ValueError('not a book')
    assert (None, None, None) == read(sensors, 1.0)
    assert {'ValueError: not a book'} == {sensor.fault for sensor in sensors.values()}


def test_the_proxys_counts_are_read_once_for_all_sensors(book, sensors):
    for now in (1.0, 2.0):
        read(sensors, now)
    assert 3 == book.reads
