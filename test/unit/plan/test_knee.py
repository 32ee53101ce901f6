"""The Knee of a node: thresholds of requests in flight, learnt only from loads that it has seen."""
import random

import pytest

from swift_lb.plan.knee import MIN_IN_FLIGHT, Knee
from swift_lb.sim.agenda import Agenda
from swift_lb.sim.loop.proxy import Proxy
from swift_lb.sim.loop.setting import ProxyKind

SLOTS, SERVICE = 16, 0.1        # knee: 16; at most 160 requests per second


class TimedRequest:
    """A request that a simulated Proxy serves, and whose end nobody waits for."""

    ended, on_end = False, None

    def done(self):
        pass


def watch(spans, seed=1):
    """Return ([(reject, critical) after each second], the simulated Proxy) of a Knee.

    `spans` are (seconds, requests a second, factor of the service time, slots) of that Proxy.
    """
    agenda, rng, knee = Agenda(), random.Random(seed), Knee()
    proxy = Proxy('p', ProxyKind(1, SLOTS, SERVICE), agenda, random.Random(seed + 1))
    rate, result, served = [0.0], [], 0

    def come(_nothing):
        proxy.serve(TimedRequest())
        agenda.at(agenda.now + rng.expovariate(rate[0]), come, None)
    agenda.at(0.0, come, None)
    for seconds, rate[0], proxy.slow, proxy.slots in spans:
        for _second in range(seconds):
            agenda.run(agenda.now + 1)
            knee.update(proxy.in_flight, proxy.served - served)
            served = proxy.served
            result.append((knee.reject, knee.critical))
    return result, proxy


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('spans', [
    *([(600, rate, 1, SLOTS)] for rate in (1, 20, 80, 110)),
    [(300, 15, 1, SLOTS), (300, 15, 4, SLOTS)]])       # it becomes slow, with little to do
def test_a_load_below_capacity_yields_no_thresholds(spans, seed):
    result, _proxy = watch(spans, seed)
    assert {(None, None)} == set(result)


@pytest.mark.parametrize('seed', range(5))
def test_after_overload_the_threshold_reject_is_near_twice_the_knee(seed):
    result, proxy = watch([(100, 60, 1, SLOTS), (60, 240, 1, SLOTS)], seed)
    reject, critical = result[-1]
    assert 1.3 * SLOTS <= reject <= 2.8 * SLOTS     # twice the knee, as well as noise allows
    assert critical == 2 * reject
    assert proxy.in_flight > critical


def test_thresholds_are_kept_while_an_overload_lasts():
    result, _proxy = watch([(100, 60, 1, SLOTS), (300, 240, 1, SLOTS), (700, 100, 1, SLOTS)])
    assert None not in {reject for reject, _critical in result[140:400]}
    assert all(reject <= 3.5 * SLOTS for reject, _critical in result[140:400])
    assert (None, None) == result[-1]


def test_in_bursts_the_threshold_reject_is_1_to_4_times_the_knee():
    spans = [(60, 60, 1, SLOTS), (30, 240, 1, SLOTS), (60, 30, 1, SLOTS)] * 4
    rejects = {reject for reject, _critical in watch(spans)[0]} - {None}
    assert rejects
    assert SLOTS <= min(rejects) <= max(rejects) <= 4 * SLOTS


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize(('slots', 'slow', 'least', 'most'), [
    (4, 1, MIN_IN_FLIGHT, 18.0),          # three quarters of what it has are gone
    (16, 4, 22.0, 50.0)])       # as many at once as before, each 4 times slower
def test_a_slower_node_has_new_thresholds_within_two_minutes(slots, slow, least, most, seed):
    rng, knee, result = random.Random(seed), Knee(), []
    for second in range(400):
        load = (2, 2, 5, 10, 20, 60)[second // 8 % 6]      # from clients that ask again
        now, times = (slots, slow) if second >= 200 else (SLOTS, 1)
        knee.update(rng.gauss(load, load ** 0.5 / 2),
                    min(load, now) / SERVICE / times * rng.gauss(1, 0.1))
        result.append(knee.reject)
    before, after = (set(some) - {None} for some in (result[:200], result[320:]))
    assert 22.0 <= min(before) <= max(before) <= 50.0
    assert least <= min(after) <= max(after) <= most


def test_the_threshold_reject_is_at_least_min_in_flight():
    knee = Knee()
    for load, throughput in [(1, 50)] * 30 + [(2, 90)] * 30 + [(20, 90)] * 30:
        knee.update(load, throughput)
    assert MIN_IN_FLIGHT == knee.reject
