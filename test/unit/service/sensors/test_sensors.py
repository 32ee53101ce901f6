"""What holds for all sensors, how they are made, and how Growth compares counters."""
import contextlib
import math

import pytest

from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import SENSORS, make_sensors
from swift_lb.service.sensors.sensor import Growth, Sensor, UnknownError, fraction

every_sensor = pytest.mark.parametrize('name', SENSORS)
RATES = {'cpu', 'network', 'disk', 'disk_queue', 'requests', 'response_time', 'async_pending'}


def no_book():
    """Return None, as on a host without proxies."""


@every_sensor
def test_each_sensor_declares_name_unit_direction_and_range(name):
    kind = SENSORS[name]
    assert name == kind.name
    assert kind.unit
    assert kind.direction in ('lower', 'higher')
    assert kind.minimum is None or kind.maximum is None or kind.minimum < kind.maximum
    assert kind.__doc__ != Sensor.__doc__


@every_sensor
def test_readings_that_are_rates_are_unknown_the_first_time(name):
    sensor = make_sensors({name: {}}, lambda: Totals(0, 5, 5, 5.0))[name]
    assert (sensor.read(1.0) is None) is (name in RATES)
    assert (sensor.fault is not None) is (name in RATES)


@every_sensor
@pytest.mark.parametrize('err', [OSError('gone'), ValueError('odd'), KeyError('x'),
                                 ZeroDivisionError(), AttributeError('absent')])
def test_an_exception_makes_a_reading_unknown_with_the_reason(name, err, monkeypatch):
    def fail(_self, _now):
        raise err
    monkeypatch.setattr(SENSORS[name], '_read', fail)
    sensor = make_sensors({name: {}}, no_book)[name]
    assert sensor.read(1.0) is None
    assert type(err).__name__ in sensor.fault


@every_sensor
def test_a_number_outside_of_the_sensors_range_is_unknown(name, monkeypatch):
    sensor = make_sensors({name: {}}, no_book)[name]
    for value in (math.nan, math.inf, -math.inf, sensor.minimum - 1e-9, None, 'x', True,
                  math.inf if sensor.maximum is None else sensor.maximum + 1e-9):
        monkeypatch.setattr(type(sensor), '_read', lambda _self, _now, value=value: value)
        assert sensor.read(1.0) is None
    for value in (0, sensor.minimum, 7 if sensor.maximum is None else sensor.maximum):
        monkeypatch.setattr(type(sensor), '_read', lambda _self, _now, value=value: value)
        assert value == sensor.read(1.0)
        assert isinstance(sensor.read(1.0), float)


def test_a_sensor_without_bounds_may_return_any_number():
    class Balance(Sensor):
        minimum = None

        def _read(self, _now):
            return -1e9
    assert -1e9 == Balance().read(1.0)


def test_sensors_are_made_in_the_order_in_which_they_are_chosen():
    chosen = {name: {} for name in reversed(SENSORS)}
    assert list(chosen) == list(make_sensors(chosen, no_book))


@pytest.fixture
def growth():
    """Return a Growth that was first read at 10 s, when the counters were a = 5 and b = 100."""
    growth = Growth()
    with pytest.raises(UnknownError, match='first time'):
        growth.since_last(10.0, {'a': 5, 'b': 100})
    return growth


@pytest.mark.parametrize(('part', 'whole', 'expected'), [
    (0, 4, 0.0), (1, 4, 0.25), (4, 4, 1.0), (5, 4, 1.0),    # the instants of reads are a bit off
    *((part, whole, None) for part, whole in (
        (5.1, 4), (-1, 4), (0, 0), (1, 0), (0, -1), (math.nan, 4), (1, math.nan)))])
def test_a_fraction_just_above_1_is_1_and_a_larger_one_unknown(part, whole, expected):
    with pytest.raises(UnknownError) if expected is None else contextlib.nullcontext():
        assert expected == fraction(part, whole)


@pytest.mark.parametrize('now', [10.0, 9.0])
def test_growth_since_no_time_or_a_later_reading_is_unknown(growth, now):
    with pytest.raises(UnknownError, match='no time'):
        growth.since_last(now, {'a': 6, 'b': 100})
