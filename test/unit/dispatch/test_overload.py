"""Goodput of simulated proxies that refuse requests in overload: capacity is not wasted.

One proxy stands for all: all have the same load, so no request would be sooner elsewhere.
"""
import random
from itertools import pairwise

import pytest
from unit.dispatch.slots import Slots

from swift_lb.dispatch.content import LIGHT, SMALL
from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.shedding import RISE, Shedder, retry_after, wanted

ROUND_TRIP = 0.002      # seconds until a refused client asks again
CALM = 30.0             # seconds of half the load, before the rest


class QueueingProxy:
    """A proxy: Slots with a Curve and a Shedder, which refuses requests if `sheds`.

    Clients wait for 5 to 10 s, and leave then. Their requests are served all the same.
    """

    def __init__(self, slots, mean, sheds=True, light=None, seed=1):
        """`mean`: seconds of service; `light`: of light requests, half of all, as a fraction."""
        self.slots, self.mean, self._sheds, self._light = slots, mean, sheds, light
        self.station, self.rng = Slots(slots), random.Random(seed)
        self.good = self.begun = self.end = 0.0
        self.refused, self.levels, self.answered = {LIGHT: 0, SMALL: 0}, [], 0
        self._curve, self._shedder = Curve(), Shedder()
        self.station.plan(0.0, self._tick)

    def goodput(self, begin, end):
        """Run to `end`; return the share of capacity since `begin` that served waiting clients."""
        self.begun, self.end = begin, end
        self.station.run(end)
        return self.good / self.slots / (end - begin)

    def ask(self, at, done=lambda at, refused: None):
        """Take a request at `at`; call `done(instant, refused)` when it is served or refused."""
        content = LIGHT if self._light is not None and self.rng.random() < 0.5 else SMALL
        if self._sheds and self._shedder.sheds(content, self._wanted(at), self.rng):
            self.refused[content] += 1
            self.station.plan(at + ROUND_TRIP, lambda at: done(at, True))
            return
        before, until = self.station.in_flight, at + self.rng.uniform(5.0, 10.0)
        size = self.mean * self.rng.expovariate(1) * (self._light if content == LIGHT else 1)

        def served(end):
            self._curve.add(before, end - at, end)
            self._shedder.add(before, end - at, end)
            self.answered += 1
            if end <= until and self.begun <= end:
                self.good += size
            done(end, False)
        self.station.come(at, size, served)

    def open(self, rate, begin=0.0, end=float('inf')):
        """Start an open loop of `rate` requests a second, from `begin` to `end`."""
        def come(at):
            if at < end:
                self.ask(at)
                self.station.plan(at + self.rng.expovariate(rate), come)
        self.station.plan(begin, come)

    def closed(self, clients, begin, patient):
        """Start clients that ask again when answered; refused ones wait if they are `patient`."""
        def come(at, refused=False):
            if refused and patient:
                self.station.plan(at + retry_after(self.rng), come)
            else:
                self.ask(at, come)
        for _client in range(clients):
            self.station.plan(begin, come)

    def _wanted(self, at):
        expected = self._curve.expected(self.station.in_flight, at)
        return 0.0 if expected is None else wanted(expected, self._curve.expected(0, at))

    def _tick(self, at):
        self._shedder.update(self._wanted(at), at)
        self.levels.append(self._shedder.level)
        self.station.plan(at + 1.0, self._tick)


@pytest.mark.parametrize(('slots', 'mean'), [(1, 0.02), (2, 0.08), (8, 0.05), (8, 0.3), (32, 0.1)])
@pytest.mark.parametrize('times', [1.5, 2.0, 3.0])
def test_goodput_stays_above_90_percent_in_an_overloaded_open_loop(slots, mean, times):
    proxy = QueueingProxy(slots, mean)
    proxy.open(0.5 * slots / mean, 0.0, CALM)
    proxy.open(times * slots / mean, CALM)
    assert proxy.goodput(CALM + 20, CALM + 80) >= 0.9
    assert max(after - before for before, after in pairwise(proxy.levels)) <= RISE + 1e-9


def test_without_refusals_answers_come_after_clients_gave_up():
    proxy = QueueingProxy(8, 0.05, sheds=False)
    proxy.open(2 * 8 / 0.05)
    assert proxy.goodput(20, 60) < 0.1


@pytest.mark.parametrize('patient', [False, True])
@pytest.mark.parametrize(('slots', 'mean', 'clients'), [(2, 0.08, 32), (8, 0.05, 400), (1, 0.5, 9)])
def test_goodput_stays_above_90_percent_in_an_overloaded_closed_loop(slots, mean, clients, patient):
    proxy = QueueingProxy(slots, mean)
    proxy.open(0.5 * slots / mean, 0.0, CALM)
    proxy.closed(clients, CALM, patient)
    assert proxy.goodput(CALM + 20, CALM + 60) >= 0.9


@pytest.mark.parametrize(('slots', 'mean', 'clients'), [(2, 0.04, 16), (2, 0.08, 8), (1, 1.0, 4)])
def test_no_request_is_refused_for_a_queue_of_a_few_requests(slots, mean, clients):
    proxy = QueueingProxy(slots, mean)
    proxy.open(0.5 * slots / mean, 0.0, CALM)
    proxy.closed(clients, CALM, patient=False)
    proxy.goodput(CALM, CALM + 60)
    assert 0 == proxy.refused[SMALL]


@pytest.mark.parametrize(('slots', 'mean'), [(1, 0.02), (2, 0.08), (8, 0.05), (8, 0.5)])
def test_at_80_percent_of_capacity_hardly_any_request_is_refused(slots, mean):
    proxy = QueueingProxy(slots, mean)
    proxy.open(0.8 * slots / mean)
    proxy.goodput(0, 120)
    assert sum(proxy.refused.values()) <= 0.005 * proxy.answered


def test_no_request_is_refused_from_5_s_after_an_overload():
    proxy = QueueingProxy(2, 0.08)
    proxy.open(2 * 2 / 0.08, 0.0, 40.0)
    proxy.open(0.5 * 2 / 0.08, 40.0)
    proxy.goodput(0, 45.0)
    refused = sum(proxy.refused.values())
    proxy.goodput(0, 100.0)
    assert refused == sum(proxy.refused.values())


@pytest.mark.parametrize('light', [0.1, 0.5])
def test_an_overload_hardly_refuses_light_requests(light):
    proxy = QueueingProxy(8, 0.05, light=light)
    proxy.open(2.0 * 8 / (0.05 * (1 + light) / 2))
    assert proxy.goodput(20, 60) >= 0.9
    assert proxy.refused[LIGHT] <= 0.05 * proxy.refused[SMALL]


@pytest.mark.parametrize(('rate', 'slower'), [
    (3.0, 10), (3.0, 50), (3.0, 100), (10.0, 10), (10.0, 50), (10.0, 100), (100.0, 100)])
def test_requests_to_a_slow_disk_are_not_refused_for_long(rate, slower):
    """All requests take longer at once, so that many are in flight; none waits for another."""
    proxy = QueueingProxy(10_000, 0.02)
    proxy.open(rate, 0.0)
    proxy.station.plan(CALM, lambda _at: setattr(proxy, 'mean', slower * 0.02))
    proxy.goodput(0, CALM + 600)
    assert sum(proxy.refused.values()) <= 0.15 * rate * 600
    before = sum(proxy.refused.values())
    proxy.goodput(0, CALM + 3000)
    assert sum(proxy.refused.values()) - before <= 0.05 * rate * 2400


@pytest.mark.parametrize('heavier', [4, 6, 8])
def test_goodput_stays_above_85_percent_if_requests_become_heavier(heavier):
    proxy = QueueingProxy(8, 0.05)
    proxy.open(80.0)
    proxy.station.plan(CALM, lambda _at: setattr(proxy, 'mean', heavier * 0.05))
    assert proxy.goodput(CALM + 30, CALM + 100) >= 0.85
