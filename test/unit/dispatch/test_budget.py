"""The budget of retries: a fifth of the requests, and a floor."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.budget import CAP, FLOOR, SHARE, RetryBudget


def spent(budget, now, tries=1000):
    """Return how many of `tries` retries get a token at an instant."""
    return sum(budget.spend(now) for _ in range(tries))


def earned(requests, **options):
    """Return a RetryBudget that has seen so many requests."""
    budget = RetryBudget(**options)
    for _ in range(requests):
        budget.earn()
    return budget


@pytest.mark.parametrize(('requests', 'retries'), [
    (0, 10), (4, 10), (5, 11), (50, 20), (500, 110), (100_000, 110)])
def test_retries_are_a_fifth_of_requests_and_the_floor(requests, retries):
    assert retries == spent(earned(requests), 7.0)


def test_the_floor_comes_back_each_second_and_is_not_kept():
    budget = RetryBudget()
    assert [10, 0, 5, 10, 0] == [spent(budget, now) for now in (7.0, 7.0, 7.5, 100.0, 99.0)]


def test_workers_may_divide_the_floor_and_have_another_share():
    assert 2 + 30 == spent(earned(60, share=0.5, floor=2.0), 7.0)


@pytest.mark.parametrize('rate', [1, 20, 1000])
def test_with_all_peers_failing_attempts_are_bounded(rate):
    """Each request wants three retries, for 20 seconds."""
    budget, requests, retries = RetryBudget(), 0, 0
    for turn in range(20 * rate):
        budget.earn()
        requests += 1
        for _ in range(3):
            retries += budget.spend(turn / rate)
    assert requests + retries <= (1 + SHARE) * requests + FLOOR * 21
    assert retries >= min(3 * requests, SHARE * requests) - 1


@given(st.lists(st.one_of(st.just('earn'), st.floats(-5.0, 5.0)), max_size=300))
def test_retries_never_exceed_the_promise(events):
    budget, now, begin, requests, retries = RetryBudget(), 0.0, 0.0, 0, 0
    latest = now
    for event in events:
        if event == 'earn':
            budget.earn()
            requests += 1
            continue
        now += event            # a clock may go back
        begin, latest = min(begin, now), max(latest, now)
        retries += budget.spend(now)
    assert retries <= SHARE * requests + FLOOR * (latest - begin + 1) + 1e-6
    assert retries <= CAP + SHARE * requests + FLOOR * (latest - begin + 1)
