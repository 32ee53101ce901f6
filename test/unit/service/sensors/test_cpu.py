"""The cores: on this machine, and with times that this machine does not show."""
import time
from types import SimpleNamespace

import pytest

from swift_lb import clock
from swift_lb.service.sensors.cpu import Cpu

KINDS = ('user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest',
         'guest_nice')


def cpu(*readings, cores=2):
    """Return a Cpu that reads these times in turn, each {kind: seconds}, else 0."""
    each = iter(SimpleNamespace(**dict.fromkeys(KINDS, 0.0) | times) for times in readings)
    return Cpu(times=lambda: next(each), cores=lambda: cores)


def second_reading(*readings, **options):
    sensor = cpu(*readings, **options)
    assert sensor.read(0.0) is None
    return sensor.read(1.0)


@pytest.mark.parametrize('kind', ['user', 'nice', 'system', 'irq', 'softirq', 'steal'])
def test_busy_is(kind):
    assert 0.25 == second_reading({'idle': 5}, {'idle': 6.5, kind: 0.5})


@pytest.mark.parametrize('kind', ['idle', 'iowait'])
def test_idle_is(kind):
    assert 0.25 == second_reading({'user': 5}, {'user': 5.5, kind: 1.5})


def test_a_guest_is_counted_once_for_it_is_in_user_and_nice():
    assert 0.5 == second_reading({}, {'user': 1.0, 'guest': 1.0, 'idle': 1.0})
    assert 0.5 == second_reading({}, {'nice': 1.0, 'guest_nice': 1.0, 'idle': 1.0})


def test_all_idle_is_0_and_all_busy_is_1():
    assert 0.0 == second_reading({'user': 3}, {'user': 3, 'idle': 2})
    assert 1.0 == second_reading({'idle': 3}, {'idle': 3, 'user': 2})


@pytest.mark.parametrize(('before', 'after'), [
    ({'user': 5, 'idle': 5}, {'user': 4, 'idle': 7}),       # started again
    ({'user': 5, 'idle': 5}, {'user': 6, 'idle': 4}),
    ({'user': 5, 'idle': 5}, {'user': 5, 'idle': 5}),       # nothing counted
    ({'idle': 5}, {'idle': 6, 'steal': 1e16}),              # steal that has leapt
])
def test_times_that_can_not_be_are_unknown(before, after):
    assert second_reading(before, after) is None


def test_an_unreadable_proc_is_unknown_and_says_why():
    def times():
        raise FileNotFoundError(2, 'No such file or directory', '/proc/stat')
    sensor = Cpu(times=times)
    assert sensor.read(0.0) is None
    assert '/proc/stat' in sensor.fault


def test_unknown_once_is_known_again_and_the_fault_is_gone():
    sensor = cpu({'user': 5}, {'user': 4}, {'user': 5, 'idle': 1})
    assert [None, None, 0.5] == [sensor.read(now) for now in (0.0, 1.0, 2.0)]
    assert sensor.fault is None


def test_this_machine_is_busy_while_it_works():
    sensor = Cpu()
    assert sensor.read(clock.monotonic()) is None
    until = time.process_time() + 0.3      # of a processor, which others may have meanwhile
    while time.process_time() < until:
        pass
    assert 0 < sensor.read(clock.monotonic()) <= 1
