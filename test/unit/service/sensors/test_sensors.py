"""What holds for all sensors, and how they are made."""
import math

import pytest

from swift_lb.errors import ConfigError
from swift_lb.load.request_table import Totals
from swift_lb.service.sensors import SENSORS, make_sensors
from swift_lb.service.sensors.sensor import Sensor

every_sensor = pytest.mark.parametrize('name', SENSORS)
RATES = {'cpu', 'network', 'disk', 'disk_queue', 'requests', 'response_time', 'async_pending'}


def no_book():
    """Be a host without proxies."""


@every_sensor
def test_it_says_what_it_is(name):
    kind = SENSORS[name]
    assert name == kind.name
    assert kind.unit
    assert kind.direction in ('lower', 'higher')
    assert kind.least is None or kind.most is None or kind.least < kind.most
    assert kind.__doc__ != Sensor.__doc__


@every_sensor
def test_what_needs_two_reads_is_unknown_at_the_first(name):
    sensor = make_sensors({name: {}}, lambda: Totals(0, 5, 5, 5.0))[name]
    assert (sensor.read(1.0) is None) is (name in RATES)
    assert (sensor.fault is not None) is (name in RATES)


@every_sensor
@pytest.mark.parametrize('err', [OSError('gone'), ValueError('odd'), KeyError('x'),
                                 ZeroDivisionError(), AttributeError('absent')])
def test_a_failure_is_unknown_whatever_it_is(name, err, monkeypatch):
    def fail(_self, _now):
        raise err
    monkeypatch.setattr(SENSORS[name], '_read', fail)
    sensor = make_sensors({name: {}}, no_book)[name]
    assert sensor.read(1.0) is None
    assert type(err).__name__ in sensor.fault


@every_sensor
def test_what_is_out_of_its_range_is_unknown_and_what_is_in_it_a_float(name, monkeypatch):
    sensor = make_sensors({name: {}}, no_book)[name]
    for value in (math.nan, math.inf, -math.inf, sensor.least - 1e-9, None, 'x', True,
                  math.inf if sensor.most is None else sensor.most + 1e-9):
        monkeypatch.setattr(type(sensor), '_read', lambda _self, _now, value=value: value)
        assert sensor.read(1.0) is None
    for value in (0, sensor.least, 7 if sensor.most is None else sensor.most):
        monkeypatch.setattr(type(sensor), '_read', lambda _self, _now, value=value: value)
        assert value == sensor.read(1.0)
        assert isinstance(sensor.read(1.0), float)


def test_without_bounds_any_number_is_believed():
    class Balance(Sensor):
        least = None

        def _read(self, _now):
            return -1e9
    assert -1e9 == Balance().read(1.0)


def test_all_are_made_in_the_order_asked_for():
    chosen = {name: {} for name in reversed(SENSORS)}
    assert list(chosen) == list(make_sensors(chosen, no_book))


def test_every_fault_is_named_and_what_is_known_is_listed():
    with pytest.raises(ConfigError) as err:
        make_sensors({'cpus': {}, 'memory': {'sped': 1}, 'network': {'sped': 1, 'mtu': 2},
                      'disk': {'devices': 'srv'}, 'async_pending': {'path': ''}}, no_book)
    faults = err.value.faults
    assert ['cpus', 'memory', 'network', 'network', 'disk', 'async_pending'] == [
        fault.split()[1].rstrip(':') for fault in faults]
    assert ', '.join(SENSORS) in faults[0]
    assert 'interfaces, speeds, speed' in faults[2]


def test_what_only_a_test_may_set_is_no_option():
    with pytest.raises(ConfigError, match='unknown option totals'):
        make_sensors({'in_flight': {'totals': 3}}, no_book)


def test_sensors_of_disks_share_what_they_read_of_the_same_directory(tmp_path):
    made = make_sensors({'disk': {}, 'disk_queue': {}}, no_book)
    assert made['disk']._disks is made['disk_queue']._disks
    made = make_sensors({'disk': {}, 'disk_queue': {'devices': str(tmp_path)}}, no_book)
    assert made['disk']._disks is not made['disk_queue']._disks
