"""The load average, per core."""
import os

import pytest

from swift_lb.service.sensors.load import Load


def test_it_is_that_of_a_minute_per_core():
    assert 1.5 == Load(averages=lambda: (6.0, 1.0, 2.0), cores=lambda: 4).read(0.0)


@pytest.mark.parametrize('cores', [None, 0])
def test_of_a_host_of_no_cores_it_is_unknown(cores):
    assert Load(averages=lambda: (6.0, 1.0, 2.0), cores=lambda: cores).read(0.0) is None


@pytest.mark.parametrize('average', [-1.0, float('nan'), float('inf')])
def test_an_average_that_can_not_be_is_unknown(average):
    assert Load(averages=lambda: (average, 1.0, 2.0), cores=lambda: 4).read(0.0) is None


def test_where_there_is_none_it_is_unknown():
    def averages():
        raise OSError('Load averages are unobtainable')
    assert Load(averages=averages).read(0.0) is None


def test_this_machine():
    assert pytest.approx(os.getloadavg()[0] / os.cpu_count(), abs=0.5) == Load().read(0.0)
