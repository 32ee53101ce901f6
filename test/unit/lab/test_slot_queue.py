"""A slowed device's queue is first come, first served; its service times are reproducible."""
import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.lab.rules import Rule
from swift_lb.lab.slot_queue import DRAW, SlotQueue, service_times, stream

STEPS = st.lists(st.tuples(st.sampled_from(['arrive', 'leave', 'give up']), st.integers(0, 9),
                           st.floats(0, 1)), max_size=60)


def queue_of(slots, service=1.0):
    queue = SlotQueue()
    queue.configure(slots, itertools.repeat(service), 0)
    return queue


@given(st.integers(1, 4), STEPS)
def test_requests_are_served_in_order_at_most_slots_at_a_time(slots, steps):
    queue, now, began = queue_of(slots), 0.0, []
    for number, (what, which, wait) in enumerate(steps):
        now += wait
        if what == 'arrive':
            queue.arrive(number, now)
            began += [number] if queue.end(number) is not None else []
        elif what == 'leave' and queue.ends:
            ticket = sorted(queue.ends)[which % len(queue.ends)]
            began += queue.leave(ticket, now)
        elif what == 'give up' and queue.waiting:
            assert queue.leave(queue.waiting[which % len(queue.waiting)][0], now) == []
        assert len(queue.ends) <= slots
        assert not queue.waiting or len(queue.ends) == slots
    assert began == sorted(began)
    assert len(began) == len(set(began))


def test_a_late_timer_does_not_lower_the_capacity_of_a_queue():
    queue = queue_of(1)
    for ticket in range(10):
        queue.arrive(ticket, 0)
    for ticket in range(10):
        assert queue.end(ticket) == ticket + 1
        queue.leave(ticket, ticket + 1.4)


def test_service_starts_no_earlier_than_the_request_arrives():
    queue = queue_of(1)
    queue.arrive('a', 0)
    queue.arrive('b', 1.2)     # after the end of a, before its owner has woken up
    queue.leave('a', 1.3)
    assert queue.end('b') == pytest.approx(2.2)


def test_a_request_that_leaves_early_frees_its_slot():
    queue = queue_of(1, 10)
    queue.arrive('a', 0)
    queue.arrive('b', 1)
    assert queue.leave('a', 2) == ['b']
    assert queue.end('b') == 12


def test_waiting_requests_start_when_slots_are_added():
    queue = queue_of(1, 10)
    for ticket in 'abc':
        queue.arrive(ticket, 0)
    assert queue.configure(2, itertools.repeat(1), 3) == ['b']
    assert queue.end('b') == 4
    assert sorted(queue.configure(None, None, 5)) == ['a', 'b', 'c']
    assert {queue.end(ticket) for ticket in 'abc'} == {5}
    queue.arrive('d', 6)
    assert queue.end('d') == 6


def drawn(dist, count, *key):
    return [*itertools.islice(service_times(Rule(mean=0.02, dist=dist), stream(*key)), count)]


@pytest.mark.parametrize('dist', DRAW)
def test_same_seed_node_and_device_give_same_service_times(dist):
    assert drawn(dist, 50, 1, 2, 'sd0') == drawn(dist, 50, 1, 2, 'sd0')


@pytest.mark.parametrize('dist', ['exponential', 'lognormal'])
@pytest.mark.parametrize('other', [(2, 2, 'sd0'), (1, 3, 'sd0'), (1, 2, 'sd1')])
def test_another_seed_node_or_device_gives_other_service_times(dist, other):
    assert drawn(dist, 5, 1, 2, 'sd0') != drawn(dist, 5, *other)


@pytest.mark.parametrize('dist', DRAW)
def test_random_service_times_have_the_configured_mean(dist):
    times = drawn(dist, 40000, 1, 1, 'sd0')
    assert sum(times) / len(times) == pytest.approx(0.02, rel=0.03)


def test_the_given_fraction_of_requests_has_a_pause_added():
    rule = Rule(mean=0.02, dist='constant', pause=0.01, pause_time=0.5)
    times = [*itertools.islice(service_times(rule, stream(1)), 40000)]
    assert {0.02, 0.52} == set(times)
    assert times.count(0.52) == pytest.approx(400, rel=0.2)


def test_random_service_times_are_the_same_in_another_process():
    code = 'from swift_lb.lab.slot_queue import stream; print(stream(1, 2, "sd0").random())'
    seen = {subprocess.check_output([sys.executable, '-c', code], env={'PYTHONHASHSEED': seed})
            for seed in '12'}
    assert {float(text) for text in seen} == {stream(1, 2, 'sd0').random()}
