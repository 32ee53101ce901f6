"""The memory of this machine, and of some that are none."""
from types import SimpleNamespace

import pytest

from swift_lb.service.sensors.memory import Memory


def reading(available, total):
    return Memory(memory=lambda: SimpleNamespace(available=available, total=total)).read(0.0)


def test_page_cache_is_to_be_had():
    assert 0.25 == reading(available=12 << 30, total=16 << 30)


@pytest.mark.parametrize(('available', 'total'), [
    (0, 16 << 30),              # what psutil says when it does not know
    (16 << 30, 16 << 30), (17 << 30, 16 << 30), (-1, 16), (0, 0), (None, 16)])
def test_memory_that_can_not_be_is_unknown(available, total):
    assert reading(available, total) is None


def test_this_machine_agrees_with_its_kernel():
    with open('/proc/meminfo', encoding='ascii') as file:
        words = dict(line.split()[:2] for line in file)
    expected = 1 - int(words['MemAvailable:']) / int(words['MemTotal:'])
    assert pytest.approx(expected, abs=0.05) == Memory().read(0.0)
