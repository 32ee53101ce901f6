"""Cygnus' load monitor: dampened each by its own factor, and what a plug-in may do to it."""
import pytest
from support.one_agent import Sensor

from swift_lb.service.monitor import LoadMonitor


@pytest.fixture
def said():
    """What a monitor tells of."""
    return []


def monitor(said, dampening=0.0, own=(), **values):
    """Return a LoadMonitor and its sensors."""
    sensors = {name: Sensor(value) for name, value in values.items()}
    return LoadMonitor(sensors, dict(own), dampening, lambda *fault: said.append(fault)), sensors


def test_each_has_its_own_dampening_or_the_usual(said):
    found, sensors = monitor(said, 0.5, {'disk': 0.9}, cpu=0.0, disk=0.0)
    assert found.read(0.0) == {'cpu': 0.0, 'disk': 0.0}
    sensors['cpu'].value = sensors['disk'].value = 100.0
    assert found.read(1.0) == {'cpu': 50.0, 'disk': pytest.approx(10.0)}
    assert found.raw == {'cpu': 100.0, 'disk': 100.0}
    assert found.read(2.0) == {'cpu': 75.0, 'disk': pytest.approx(19.0)}


@pytest.mark.parametrize('value', [
    None, float('nan'), float('inf'), -float('inf'), 1e16, -1e16, 10**400, 'much', [], object,
    RuntimeError('broken'), KeyError('x'), RecursionError(), MemoryError()], ids=repr)
def test_what_is_no_number_is_unknown_and_the_others_go_on(said, value):
    found, sensors = monitor(said, 0.5, own=(), mine=value, cpu=0.25)
    for _read in range(2):
        assert found.read(0.0) == {'cpu': 0.25}
    assert found.raw == {'cpu': 0.25}
    assert found.unknown() == {'mine': 'it was told to say nothing'}
    assert {name for name, _err in said} <= {'mine'}
    sensors['mine'].value = 4
    assert found.read(1.0)['mine'] == 4.0       # and nothing of what it was before


@pytest.mark.parametrize(('value', 'number'), [(True, 1.0), ('2.5', 2.5), (7, 7.0)])
def test_what_can_be_a_number_is_one(said, value, number):
    assert monitor(said, mine=value)[0].read(0.0) == {'mine': number}


def test_who_raises_is_told_of_by_name(said):
    err = RuntimeError('broken')
    monitor(said, mine=err)[0].read(0.0)
    assert said == [('mine', err)]


def test_a_sensor_without_a_fault_says_nothing(said):
    class Silent:
        def read(self, _now):
            return None
    found = LoadMonitor({'mine': Silent()}, {}, 0.0, lambda *fault: said.append(fault))
    found.read(0.0)
    assert found.unknown() == {'mine': 'it says nothing'}
