"""Backend policies that know which proxy is this one, and Cygnus' policies: numbers by hand."""
import random
from collections import Counter

import pytest

from swift_lb.model import (
    CRITICAL,
    DRAINING,
    LATE,
    REJECTED,
    UP,
    Backend,
    Forecast,
    NodeInstruction,
    NodeLoad,
    Snapshot,
)
from swift_lb.policy.backends import BackendOptions, make_backend_policy
from swift_lb.policy.backends.weights import nearly

HERE, B, C, D = BACKENDS = [Backend(f'10.0.0.{i}', 8080, f'proxy{i}') for i in (1, 2, 3, 4)]
ROUNDS = 3000


def known(seconds=None, hop=0.0, state=None, load=None, keep=1.0, take=0.0):
    evidence = {}
    if seconds is not None:
        evidence[Forecast] = Forecast(seconds, hop)
    if state is not None:
        evidence[NodeInstruction] = NodeInstruction('', '', state, load, 1.0, 0.25, keep, take)
    return NodeLoad(evidence=evidence)


def view(loads, here=HERE):
    return Snapshot(loads, common={Backend: here} if here else {})


def orders(name, loads, here=HERE, candidates=BACKENDS, rounds=200, **options):
    """Return {order as a tuple of backends: times} of the orders with `rounds` random seeds."""
    policy = make_backend_policy(name, BackendOptions(**options))
    return Counter(tuple(policy.order(candidates, view(loads, here), 0.0, random.Random(seed)))
                   for seed in range(rounds))


def shares(name, loads, place=0, **more):
    counter = Counter()
    for ordered, count in orders(name, loads, rounds=ROUNDS, **more).items():
        counter[ordered[place]] += count
    return {backend: count / ROUNDS for backend, count in counter.items()}


def near(**expected):
    # 3000 draws: the standard deviation of a share is at most 0.0091, five of them 0.046
    return {backend: pytest.approx(expected[backend.name], abs=0.046) for backend in BACKENDS
            if backend.name in expected}


def why(name, loads, backend, here=HERE):
    return make_backend_policy(name).explain(backend, BACKENDS, view(loads, here), 0.0)


def firsts(*result, **more):
    return {ordered[0] for ordered in orders(*result, **more)}


OVERLOADED = {HERE: known(state=UP, keep=0.2), B: known(state=UP, take=0.4),
              C: known(state=UP, take=0.6), D: known(state=UP)}


def test_tllb_delegates_as_in_figure_3_of_its_paper():
    # A 0.20, B 0.32, C 0.48: "80 % of requests delegated to other nodes"
    assert near(proxy1=0.20, proxy2=0.32, proxy3=0.48) == shares('tllb', OVERLOADED)
    # D, overloaded too, is delegated nothing: last of all
    assert {D: 1.0} == shares('tllb', OVERLOADED, place=3)


def test_tllb_draws_the_second_proxy_as_it_draws_the_first():
    # second is A: 0.8 not first, x 0.2; B: 0.2 first A x 0.4 + 0.48 first C x 0.8
    assert near(proxy1=0.16, proxy2=0.2 * 0.4 + 0.48 * 0.8,
                proxy3=0.2 * 0.6 + 0.32 * 0.8) == shares('tllb', OVERLOADED, place=1)


def test_tllb_serves_all_here_if_nothing_is_to_be_delegated():
    assert {HERE: 1.0} == shares('tllb', {})
    assert {HERE: 1.0} == shares('tllb', {HERE: known(state=UP, keep=0.0), B: known(state=UP)})
    assert {HERE: 1.0} == shares('tllb', {B: known(state=UP, take=1.0)})
    assert {HERE: 1.0} == shares('tllb', {**OVERLOADED, HERE: known(state=UP, keep=1.0)})
    assert near(proxy2=1 / 3, proxy3=1 / 3, proxy4=1 / 3) == shares('tllb', {}, place=1)


def test_without_this_proxy_tllb_draws_peers_by_their_take():
    assert near(proxy2=0.4, proxy3=0.6) == shares('tllb', OVERLOADED, here=None)
    assert near(proxy2=0.4, proxy3=0.6) == shares('tllb', OVERLOADED, candidates=[B, C, D])


def test_tllb_explains_each_proxys_share_of_the_requests():
    assert 'this proxy: keeps 0.2 of what it receives' == why('tllb', OVERLOADED, HERE)
    assert 'takes 0.4 of what others delegate' == why('tllb', OVERLOADED, B)
    assert 'no part in the instruction: is delegated nothing' == why('tllb', {}, B)
    assert 'no part in the instruction: serves all it receives' == why('tllb', {}, HERE)


def test_cygnus_prefers_the_least_load_below_the_thresholds():
    loads = {HERE: known(state=UP, load=0.5), B: known(state=CRITICAL, load=0.1),
             C: known(state=REJECTED, load=0.2), D: known(state=UP, load=0.4)}
    assert {(D, HERE, C, B)} == set(orders('cygnus_least_loaded', loads))
    assert ('rejected, behind those that are not: load 0.2'
            == why('cygnus_least_loaded', loads, C))
    assert 'load 0.5' == why('cygnus_least_loaded', loads, HERE)


def test_cygnus_puts_unknown_loads_before_rejected_nodes():
    loads = {HERE: known(state=REJECTED, load=0.1), B: known(state=UP),
             C: known(state=UP, load=0.9)}
    assert {(C, B, D, HERE), (C, D, B, HERE)} == set(orders('cygnus_least_loaded', loads))
    assert ('nothing known: tried after all whose load is known'
            == why('cygnus_least_loaded', loads, B))


def test_cygnus_orders_loads_within_1_percent_at_random():
    loads = {HERE: known(state=UP, load=0.5), B: known(state=UP, load=0.504)}
    assert {HERE, B} == firsts('cygnus_least_loaded', loads)
    loads[B] = known(state=UP, load=0.506)
    assert {HERE} == firsts('cygnus_least_loaded', loads)


def test_the_lower_of_two_costs_2_5_percent_apart_wins_87_percent():
    rng = random.Random(3)
    won = sum(nearly(1.0, 0.05, rng) < nearly(1.025, 0.05, rng) for _ in range(ROUNDS))
    # u < v x 1.025 + 0.5: about 1 - 0.5 x 0.5 / 2 = 0.87
    assert 0.87 == pytest.approx(won / ROUNDS, abs=0.046)


@pytest.mark.parametrize(('here', 'stays', 'options'), [
    (0.0124, True, {}), (0.0126, False, {}), (0.001, True, {}),
    (0.012, True, {'band': 0.21}), (0.012, False, {'band': 0.19}), (0.012, False, {'band': 0.0})])
@pytest.mark.parametrize('state', [UP, CRITICAL])
def test_adaptive_prefers_this_proxy_if_no_peer_is_much_faster(here, stays, options, state):
    # the least of the others: 9 ms + 1 ms for the hop; 1.25 x 10 ms = 12.5 ms
    loads = {HERE: known(here, state=state), B: known(0.009, 0.001), C: known(0.02, 0.001),
             D: known(0.5)}
    assert {(HERE, B, C, D) if stays else (B, HERE, C, D)} == set(
        orders('adaptive', loads, **options))


def test_adaptive_draws_between_peers_of_nearly_equal_cost():
    loads = {HERE: known(0.5), B: known(0.1), C: known(0.104), D: known(0.106)}
    result = shares('adaptive', loads)
    assert {B, C} == set(result)
    assert result[B] > result[C]
    loads[C] = loads[D] = known(0.1)
    assert near(proxy2=1 / 3, proxy3=1 / 3, proxy4=1 / 3) == shares('adaptive', loads)


def test_adaptive_never_puts_a_peer_of_unknown_cost_first():
    # mean of 90, 30 and 120 ms: 80 ms, but B is not before this proxy; D, 120 ms, is after
    loads = {HERE: known(0.09), C: known(0.03), D: known(0.12)}
    assert {(C, HERE, B, D)} == set(orders('adaptive', loads))
    # only this proxy is known: it is first, however slow
    assert {HERE} == firsts('adaptive', {HERE: known(9.0)})
    # mean of 10, 100 and 10 ms: 40 ms, behind this proxy's 10
    loads = {HERE: known(0.01), C: known(0.1), D: known(0.01)}
    assert {(HERE, D, B, C)} == set(orders('adaptive', loads))


def test_adaptive_gives_this_proxy_the_mean_cost_if_unknown():
    # mean of 10 and 14 ms: 12 ms, within 1.25 x 10 ms; of 10 and 20 ms: 15 ms, not
    loads = {B: known(0.01), C: known(0.014)}
    assert {HERE} == firsts('adaptive', loads)
    loads[C] = known(0.02)
    assert {(B, HERE, D, C)} == set(orders('adaptive', loads))


def test_among_peers_alone_adaptive_puts_known_costs_first():
    loads = {C: known(0.1), D: known(0.1)}
    assert {C, D} == firsts('adaptive', loads, here=None)
    assert {C} == firsts('adaptive', {C: known(0.1)}, here=None)
    assert {C} == firsts('adaptive', {C: known(0.1)}, candidates=[B, C, D])


@pytest.mark.parametrize('state', [LATE, DRAINING, REJECTED, CRITICAL])
def test_adaptive_delegates_only_to_peers_that_are_up(state):
    loads = {HERE: known(0.5), B: known(0.001, state=state), C: known(0.1, state=UP),
             D: known(state=UP)}
    assert {(C, HERE, D, B)} == set(orders('adaptive', loads))
    loads[C] = known(0.1, state=state)
    assert {(HERE, D, B, C)} == set(orders('adaptive', loads))
    assert 'expected 1 ms = 1 ms + 0 ms to get there, behind all that are up' == why(
        'adaptive', loads, B)


def test_adaptive_explains_when_this_proxy_comes_first():
    loads = {HERE: known(0.012), B: known(0.009, 0.001), C: known(0.02)}
    assert ('this proxy: expected 12 ms = 12 ms + 0 ms to get there, first up to 12.5 ms, '
            '25% above the best of the others') == why('adaptive', loads, HERE)
    assert 'expected 10 ms = 9 ms + 1 ms to get there' == why('adaptive', loads, B)
    assert ('nothing known: estimated as the mean of the others, and never first'
            == why('adaptive', loads, D))
    assert ('this proxy: expected 12 ms = 12 ms + 0 ms to get there, and nothing is known of '
            'another' == why('adaptive', {HERE: known(0.012)}, HERE))
