"""The load monitor: dampening of each metric, and plug-ins that fail."""
import pytest
from support.one_agent import SetSensor

from swift_lb.service.monitor import LoadMonitor


@pytest.fixture
def log():
    """The (name, error) pairs that a monitor logs."""
    return []


def monitor(log, dampening=0.0, own=(), **values):
    """Return a LoadMonitor and its sensors."""
    sensors = {name: SetSensor(value) for name, value in values.items()}
    return LoadMonitor(sensors, dict(own), dampening, lambda *fault: log.append(fault)), sensors


def test_each_metric_has_its_dampening_or_the_default(log):
    found, sensors = monitor(log, 0.5, {'disk': 0.9}, cpu=0.0, disk=0.0)
    assert found.read(0.0) == {'cpu': 0.0, 'disk': 0.0}
    sensors['cpu'].value = sensors['disk'].value = 100.0
    assert found.read(1.0) == {'cpu': 50.0, 'disk': pytest.approx(10.0)}
    assert found.raw == {'cpu': 100.0, 'disk': 100.0}
    assert found.read(2.0) == {'cpu': 75.0, 'disk': pytest.approx(19.0)}


@pytest.mark.parametrize('value', [
    None, float('nan'), float('inf'), -float('inf'), 1e16, -1e16, 10**400, 'much', [], object,
    RuntimeError('broken'), KeyError('x'), RecursionError(), MemoryError()], ids=repr)
def test_reading_that_is_no_number_is_unknown(log, value):
    found, sensors = monitor(log, 0.5, own=(), mine=value, cpu=0.25)
    for _read in range(2):
        assert found.read(0.0) == {'cpu': 0.25}
    assert found.raw == {'cpu': 0.25}
    assert found.unknown() == {'mine': 'the test set no value'}
    assert {name for name, _err in log} <= {'mine'}
    sensors['mine'].value = 4
    assert found.read(1.0)['mine'] == 4.0       # without the earlier value


@pytest.mark.parametrize(('value', 'number'), [(True, 1.0), ('2.5', 2.5), (7, 7.0)])
def test_reading_is_converted_to_a_number(log, value, number):
    assert monitor(log, mine=value)[0].read(0.0) == {'mine': number}


def test_sensor_that_raises_is_logged(log):
    err = RuntimeError('broken')
    monitor(log, mine=err)[0].read(0.0)
    assert log == [('mine', err)]


def test_unknown_without_a_fault_has_a_reason(log):
    class Silent:
        def read(self, _now):
            return None
    found = LoadMonitor({'mine': Silent()}, {}, 0.0, lambda *fault: log.append(fault))
    found.read(0.0)
    assert found.unknown() == {'mine': 'it says nothing'}
