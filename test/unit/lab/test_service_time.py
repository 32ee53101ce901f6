"""Service times: seeded, and with the mean they say."""
import itertools
import subprocess
import sys

import pytest

from swift_lb.lab.rules import Rule
from swift_lb.lab.service_time import DRAW, service_times, stream


def drawn(dist, count, *key):
    return [*itertools.islice(service_times(Rule(mean=0.02, dist=dist), stream(*key)), count)]


@pytest.mark.parametrize('dist', DRAW)
def test_the_same_key_gives_the_same_sequence(dist):
    assert drawn(dist, 50, 1, 2, 'sd0') == drawn(dist, 50, 1, 2, 'sd0')


@pytest.mark.parametrize('dist', ['exponential', 'lognormal'])
@pytest.mark.parametrize('other', [(2, 2, 'sd0'), (1, 3, 'sd0'), (1, 2, 'sd1')])
def test_another_seed_node_or_device_gives_another(dist, other):
    assert drawn(dist, 5, 1, 2, 'sd0') != drawn(dist, 5, *other)


@pytest.mark.parametrize('dist', DRAW)
def test_the_mean_is_kept(dist):
    times = drawn(dist, 40000, 1, 1, 'sd0')
    assert sum(times) / len(times) == pytest.approx(0.02, rel=0.03)


def test_pauses_are_added_to_their_fraction():
    rule = Rule(mean=0.02, dist='constant', pause=0.01, pause_time=0.5)
    times = [*itertools.islice(service_times(rule, stream(1)), 40000)]
    assert {0.02, 0.52} == set(times)
    assert times.count(0.52) == pytest.approx(400, rel=0.2)


def test_the_stream_is_the_same_in_another_process():
    code = 'from swift_lb.lab.service_time import stream; print(stream(1, 2, "sd0").random())'
    seen = {subprocess.check_output([sys.executable, '-c', code], env={'PYTHONHASHSEED': seed})
            for seed in '12'}
    assert {float(text) for text in seen} == {stream(1, 2, 'sd0').random()}
