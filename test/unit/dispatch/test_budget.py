"""Failures of peers: the budget of retries, and for how long a failed peer is not asked."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.budget import CAP, FLOOR, SHARE, RetryBudget
from swift_lb.dispatch.ledger import BackendRecord
from swift_lb.model import Backend


def spent(budget, now, tries=1000):
    """Return how many of `tries` retries the budget allows at the instant `now`."""
    return sum(budget.spend(now) for _ in range(tries))


def earned(requests):
    """Return a RetryBudget that has counted so many requests."""
    budget = RetryBudget()
    for _ in range(requests):
        budget.earn()
    return budget


@pytest.mark.parametrize(('requests', 'retries'), [
    (0, 10), (4, 10), (5, 11), (50, 20), (500, 110), (100_000, 110)])
def test_retries_are_at_most_a_fifth_of_requests_plus_a_floor(requests, retries):
    assert retries == spent(earned(requests), 7.0)


def test_a_token_that_is_put_back_can_be_spent_again_but_not_saved():
    budget = RetryBudget()
    assert 4 == spent(budget, 7.0, 4)
    for _token in range(8):
        budget.put_back()
    assert 10 == spent(budget, 7.0)


def test_retries_granted_each_second_expire_if_unused():
    budget = RetryBudget()
    assert [10, 0, 5, 10, 0] == [spent(budget, now) for now in (7.0, 7.0, 7.5, 100.0, 99.0)]


@given(st.lists(st.one_of(st.just('earn'), st.floats(-5.0, 5.0)), max_size=300))
def test_no_sequence_of_requests_exceeds_the_retry_budget(events):
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


def record():
    return BackendRecord(Backend('10.0.0.2', 8080, 'p2'))


def ejections(*instants):
    """Return for how many seconds a peer is ejected after each failure, one at each instant."""
    peer, seconds = record(), []
    for now in instants:
        peer.failed(now)
        seconds.append(peer.ejected_until - now)
    return seconds


def test_each_ejection_of_a_failing_peer_is_longer_up_to_30_s():
    assert [1, 2, 4, 8, 16, 30, 30] == ejections(0.0, 10.0, 20.0, 30.0, 40.0, 60.0, 100.0)


def test_requests_that_fail_together_eject_a_peer_once():
    assert [1.0, 0.9, 0.5, 2.0] == [round(each, 3) for each in ejections(0.0, 0.1, 0.5, 1.0)]


def test_an_answer_makes_a_peers_next_ejection_short_again():
    peer = record()
    peer.failed(0.0)
    peer.reset_failures()
    peer.failed(5.0)
    assert peer.ejected_until == 6.0
