"""The performance promises of `adaptive`, hedged as by default, hold in simulations of one seed.

test/bench/promises.py simulates five seeds, and 128 hosts.
"""
import pytest
from bench import promises
from bench.promises import PROMISES, compared

from swift_lb.policy import POLICIES
from swift_lb.sim import shipped
from swift_lb.sim.comparison_store import ComparisonStep, ComparisonStore


@pytest.mark.parametrize('name', [name for name in PROMISES if name != 'paper-128'])
def test_adaptive_with_hedging_keeps_each_performance_promise(name):
    promise = PROMISES[name]
    assert promise.holds([promise.measure('adaptive+hedge', 1)])


@pytest.mark.parametrize(('name', 'policy'), [
    ('slow-share', 'shuffle'), ('hung-stuck', 'two_choices'), ('cold-start', 'c3'),
    ('homogeneous', 'cassandra_snitch'), ('paper', 'lb_rlt'), ('ec-2+1', 'shuffle'),
    ('repaired', 'lb_rlt'), ('slots-64', 'affinity'), ('slowed-node', 'adaptive')])
def test_each_performance_promise_fails_for_a_worse_policy(name, policy):
    promise = PROMISES[name]
    assert not promise.holds([promise.measure(policy, 1)])


SEEDS = (1, 2)


def folder(directory, monkeypatch, **p99):
    """Return `directory` with results; `p99`: {policy: seconds in two scenarios}, the others 2."""
    monkeypatch.setattr(shipped, 'names', lambda: ['homogeneous', 'paper'])
    monkeypatch.setattr(promises, 'fingerprint', lambda *_made_from: 'as now')
    store = ComparisonStore(directory, lambda _step: 'as now')
    for label in ('oracle', *POLICIES):
        for scenario, value in zip(shipped.names(), p99.get(label, (2.0, 2.0)), strict=True):
            for seed in SEEDS:
                store.add(ComparisonStep(scenario, label, seed, 1.0),
                          {'percentiles': {'99': value}})
    return directory


@pytest.mark.parametrize(('ours', 'worst', 'mean', 'kept'), [
    ((1.0, 1.04), 1.04, 0.72, (True, True)), ((1.0, 1.1), 1.1, 0.74, (False, True)),
    ((1.7, 1.0), 1.0, 0.92, (True, False))])
def test_adaptive_is_compared_with_the_best_other_policy(
        tmp_path, monkeypatch, ours, worst, mean, kept):
    directory = folder(tmp_path, monkeypatch, adaptive=ours, oracle=(1.0, 1.0), c3=(2.0, 1.0))
    items = list(compared(directory, 'adaptive', SEEDS, 1.0))
    (_name, nowhere_worse, values), (_other, in_the_mean, (ratio,)) = items
    assert worst == pytest.approx(max(values))
    assert mean == pytest.approx(ratio, abs=0.01)
    assert kept == (nowhere_worse.holds(values), in_the_mean.holds([ratio]))


def test_an_incomplete_comparison_is_refused(tmp_path, monkeypatch):
    directory = folder(tmp_path, monkeypatch)
    with pytest.raises(SystemExit, match='runs are missing'):
        list(compared(directory, 'adaptive', (*SEEDS, 3), 1.0))
    with pytest.raises(SystemExit, match='holds no cells'):
        list(compared(tmp_path / 'nowhere', 'adaptive', SEEDS, 1.0))
    assert not (tmp_path / 'nowhere').exists()
