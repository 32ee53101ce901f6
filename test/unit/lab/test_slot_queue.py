"""The queue: never more in service than slots, first come first served, no capacity lost."""
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.lab.slot_queue import SlotQueue

STEPS = st.lists(st.tuples(st.sampled_from(['arrive', 'leave', 'give up']), st.integers(0, 9),
                           st.floats(0, 1)), max_size=60)


def queue_of(slots, service=1.0):
    queue = SlotQueue()
    queue.configure(slots, itertools.repeat(service), 0)
    return queue


@given(st.integers(1, 4), STEPS)
def test_slots_are_busy_bounded_and_in_order(slots, steps):
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


def test_capacity_is_exact_even_if_the_owner_wakes_late():
    queue = queue_of(1)
    for ticket in range(10):
        queue.arrive(ticket, 0)
    for ticket in range(10):
        assert queue.end(ticket) == ticket + 1
        queue.leave(ticket, ticket + 1.4)


def test_idle_time_of_a_slot_is_lost():
    queue = queue_of(1)
    queue.arrive('a', 0)
    queue.arrive('b', 1.2)     # after the end of a, before its owner has woken up
    queue.leave('a', 1.3)
    assert queue.end('b') == pytest.approx(2.2)


def test_early_leave_frees_the_slot():
    queue = queue_of(1, 10)
    queue.arrive('a', 0)
    queue.arrive('b', 1)
    assert queue.leave('a', 2) == ['b']
    assert queue.end('b') == 12


def test_opening_and_adding_slots_start_tickets():
    queue = queue_of(1, 10)
    for ticket in 'abc':
        queue.arrive(ticket, 0)
    assert queue.configure(2, itertools.repeat(1), 3) == ['b']
    assert queue.end('b') == 4
    assert sorted(queue.configure(None, None, 5)) == ['a', 'b', 'c']
    assert {queue.end(ticket) for ticket in 'abc'} == {5}
    queue.arrive('d', 6)
    assert queue.end('d') == 6
