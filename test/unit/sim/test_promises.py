"""What is promised of `adaptive`, hedged as it is shipped, holds in virtual time, with one seed.

With five, and on 128 hosts: test/bench/promises.py.
"""
import pytest
from bench.promises import PROMISES


@pytest.mark.parametrize('name', [name for name in PROMISES if name != 'paper-128'])
def test_it_holds(name):
    promise = PROMISES[name]
    assert promise.holds([promise.measure('adaptive+hedge', 1)])


@pytest.mark.parametrize(('name', 'policy'), [
    ('slow-share', 'shuffle'), ('hung-stuck', 'two_choices'), ('cold-start', 'c3'),
    ('homogeneous', 'cassandra_snitch'), ('paper', 'lb_rlt'), ('ec-2+1', 'shuffle'),
    ('repaired', 'lb_rlt')])
def test_who_can_not_keep_it_is_seen_not_to(name, policy):
    promise = PROMISES[name]
    assert not promise.holds([promise.measure(policy, 1)])
