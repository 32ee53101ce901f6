"""Simulated response times at 80 % load agree with queueing theory within a few per cent."""
import math

import pytest
from support.small_cluster import in_order, kind, scenario

from swift_lb.sim.cluster import Cluster
from swift_lb.sim.measures import rank

MEAN, LOAD = 0.010, 0.8


def response_times(slots):
    """Return sorted response times (s) of 200,000 reads of a device that serves `slots` at once."""
    result = scenario([kind('exponential 10ms', slots=slots)], load=LOAD, objects=1,
                      seconds=2500 / slots)
    tally = Cluster(result, in_order, 7).run()
    assert not tally.failed_at
    return sorted(tally.response_times)


def slower(seconds, slots):
    """Return (fraction of reads over `seconds`, probability of a wait) of M/M/c; c is `slots`."""
    offered = LOAD * slots
    terms = [offered ** n / math.factorial(n) for n in range(slots)]
    last = offered ** slots / math.factorial(slots) / (1 - LOAD)
    wait = last / (sum(terms) + last)
    left = slots - 1 - offered
    return math.exp(-seconds / MEAN) * (
        1 + wait * (1 - math.exp(-seconds / MEAN * left)) / left), wait


@pytest.mark.parametrize('slots', [1, 3])
def test_response_times_of_a_device_agree_with_m_m_c(slots):
    times = response_times(slots)
    _fraction, wait = slower(0, slots)
    mean = MEAN + wait * MEAN / slots / (1 - LOAD)
    assert mean == pytest.approx(math.fsum(times) / len(times), rel=0.05)
    assert 0.01 == pytest.approx(slower(rank(times, 0.99), slots)[0], rel=0.2)


def test_the_p99_of_a_device_with_one_slot_agrees_with_m_m_1():
    assert MEAN / (1 - LOAD) * math.log(100) == pytest.approx(
        rank(response_times(1), 0.99), rel=0.05)
