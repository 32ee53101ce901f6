"""Predicted seconds of reads: against numbers worked by hand, and what must hold of any link."""
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch import cost
from swift_lb.dispatch.cost import (
    GROWTH,
    WARM,
    WINDOW,
    Way,
    seconds_to_send,
    to_client,
    window_after,
)

FAR = Way(0.08, 2.5e6)          # 80 ms, 20 Mbit/s: the line is full at 200,000 bytes
NEAR = Way(0.0, math.inf)
SIZES, RATES = st.integers(0, 10**9), st.floats(1e3, 1e10)
WAYS = st.builds(Way, st.floats(0.0, 1.0), RATES, st.just(WARM), st.just(math.inf))


@pytest.mark.parametrize(('size', 'window', 'expected'), [
    (0, WINDOW, 0.0),
    (10_000, WINDOW, 0.004),
    (WINDOW, WINDOW, WINDOW / 2.5e6),
    # 1 round of 14480, then of 21720, 32580, 48870: 4 rounds send 117,650
    (100_000, WINDOW, 3 * 0.08),
    # 7 rounds fill the line and send 14480 x (1.5^7 - 1) / 0.5 = 465,850.6
    (1_500_000, WINDOW, 6 * 0.08 + (1_500_000 - 465_850.625) / 2.5e6),
    # 1 round of 64,480, and the rest in the next
    (100_000, 64_480, 0.08),
    (100_000, 100_000, 0.04), (100_000, WARM, 0.04),
    (1_500_000, WARM, 0.6)])
def test_seconds_to_send_equal_those_worked_by_hand(size, window, expected):
    assert expected == pytest.approx(seconds_to_send(size, FAR, window), rel=1e-6)


@given(SIZES, WAYS | st.sampled_from([NEAR, Way(0.08, math.inf), Way(0.0, 1e6)]), st.booleans())
def test_the_rounds_of_slow_start_are_those_of_the_formula(size, way, warm):
    full = way.bandwidth * way.rtt
    window = max(WINDOW, full) if warm else WINDOW
    expected = size / way.bandwidth
    if size > window:
        by_size, by_line = (math.ceil(math.log(growth) / math.log(GROWTH) - 1e-9) for growth in (
            1 + size * (GROWTH - 1) / window, max(1.0, min(full, 1e20) / window)))
        rounds = min(by_size, max(1, by_line))
        sent = window * (GROWTH ** rounds - 1) / (GROWTH - 1)
        expected = max(expected, (rounds - 1) * way.rtt + max(0.0, size - sent) / way.bandwidth)
    assert expected == seconds_to_send(size, way, WARM if warm else WINDOW)


@given(SIZES, SIZES, st.builds(Way, st.floats(0.0, 1.0), RATES, st.floats(WINDOW, 1e7), RATES))
def test_more_bytes_take_no_less_time_to_a_client(size, more, client):
    seconds = to_client(size, client)
    assert to_client(size + more, client) >= seconds * (1 - 1e-9)


def test_each_way_of_a_read_has_its_terms():
    client = Way(0.01, 1e6)
    body = seconds_to_send(50_000, FAR, WINDOW)
    assert body > 0.05
    new = FAR._replace(window=WINDOW)
    paced = client._replace(pace=5e5)       # two segments are sent before the pace counts
    for way, seconds in ((client, 0.05), (new, body), (FAR, 50_000 / 2.5e6),
                         (paced, (50_000 - 2896) / 5e5), (paced._replace(pace=2e6), 0.05)):
        assert to_client(50_000, way) == pytest.approx(seconds)
    assert 0.02 + 0.005 + 0.3 == pytest.approx(cost.local(0.02, client, 0.3))
    read = 0.02, 50_000, client, 0.05
    assert 0.02 + 0.16 + body + 0.005 == pytest.approx(cost.region(*read, FAR))
    assert 0.16 + 0.02 + body + 0.005 == pytest.approx(cost.fetch(*read, FAR, 0))
    assert 0.24 + 0.02 + body + 0.005 == pytest.approx(cost.fetch(*read, FAR, 0, tls=1))
    assert 0.08 + 0.02 + 0.05 + 0.005 == pytest.approx(cost.fetch(*read, FAR, WARM))
    assert 0.005 + 0.16 + 0.02 + body == pytest.approx(cost.redirect(0.02, 50_000, client, FAR))
    assert 0.02 + 0.02 + 0.05 == pytest.approx(cost.paper_fetch(0.02, 50_000, client, FAR))
    assert 0.16 + 0.02 + 0.02 == pytest.approx(cost.paper_redirect(0.02, 50_000, FAR))


def test_a_client_of_unknown_way_is_taken_to_go_by_way_of_here():
    assert Way(0.09, 1e6) == cost.by_way(Way(0.01, 1e6), FAR)


def test_a_link_without_limits_costs_nothing():
    assert 0.0 == seconds_to_send(10**9, NEAR, WINDOW)


@given(SIZES, SIZES, WAYS, st.floats(0.0, 1e9))
def test_more_bytes_never_take_less_time(first, second, way, window):
    less, more = sorted((first, second))
    assert seconds_to_send(less, way, window) <= seconds_to_send(more, way, window) * (1 + 1e-9)


@given(SIZES, WAYS)
def test_a_warm_connection_is_never_slower_and_none_beats_the_bandwidth(size, way):
    warm, cold = (seconds_to_send(size, way, window) for window in (WARM, WINDOW))
    assert size / way.bandwidth <= warm * (1 + 1e-9)
    assert warm <= cold * (1 + 1e-9)


def test_a_window_grows_by_bodies_that_use_more_than_half_of_it():
    assert WINDOW + 5_000 == window_after(WINDOW, 10_000)
    assert WINDOW == window_after(WINDOW, 7_000)
    assert 64_480 == window_after(WINDOW, 100_000)


@given(WAYS, st.floats(0.0, 1e9))
def test_a_larger_window_is_never_slower(way, window):
    assert (seconds_to_send(10**6, way, 2 * window)
            <= seconds_to_send(10**6, way, window) * (1 + 1e-9))
