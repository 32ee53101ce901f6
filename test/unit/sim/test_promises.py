"""What is promised of `adaptive` holds in virtual time: those promises that are quickly looked at.

All of them, over five seeds: test/bench/promises.py.
"""
import pytest
from bench.promises import PROMISES


@pytest.mark.parametrize('name', ['slow-share', 'hung-stuck', 'cold-start', 'expiry', 'failing',
                                  'failing-reads', 'homogeneous'])
def test_it_holds(name):
    promise = PROMISES[name]
    assert promise.holds([promise.measure('adaptive', 1)])


@pytest.mark.parametrize(('name', 'policy'), [
    ('slow-share', 'shuffle'), ('hung-stuck', 'two_choices'), ('cold-start', 'c3'),
    ('homogeneous', 'cassandra_snitch')])
def test_who_can_not_keep_it_is_seen_not_to(name, policy):
    promise = PROMISES[name]
    assert not promise.holds([promise.measure(policy, 1)])
