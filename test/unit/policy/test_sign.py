"""A slow node is read less, and it is not if the sign of the policy's cost is flipped.

Elasticsearch shipped an inverted service time for 3.5 years: no test of its own could fail.
"""
import pytest
from support.closed_loop import SLOW, Loop

from swift_lb.policy import POLICIES, make_policy
from swift_lb.replica_options import ReplicaOptions

FAIR = 1 / 3
MEASURE_NOTHING = {'shuffle', 'weighted'}
MEASURING = sorted(set(POLICIES) - MEASURE_NOTHING)


def negative(cost):
    """Return a cost, one number or several, with its sign flipped."""
    return tuple(map(negative, cost)) if isinstance(cost, tuple) else -cost


# method of a policy: what flips the sign in what it returns
FLIPS = {
    'cost': negative,
    'measure': lambda found: found and (found[0], negative(found[1])),
    'estimates': lambda found: [(held, -cost, *more) for held, cost, *more in found],
}


def flipped(name):
    """Return the policy `name` made to minimise the opposite of its cost."""
    kind = POLICIES[name]
    method = next(method for method in FLIPS if hasattr(kind, method))
    right, flip = getattr(kind, method), FLIPS[method]
    wrong = type('Flipped', (kind,), {method: lambda self, *args: flip(right(self, *args))})
    return wrong(ReplicaOptions(policy=name))


def avoids_the_slow_node(policy, reports):
    """Return whether a node 4 times slower gets under 1/4 of the reads in each of six runs.

    `reports`: whether nodes report their load. With a wrong sign all reads herd to one node, which
    in two runs of three is a fast one.
    """
    return all(Loop(policy, 4.0, reports, seed).run(clients=8, reads=2000)[SLOW] < 0.75 * FAIR
               for seed in range(6))


@pytest.mark.parametrize('reports', [True, False], ids=['reports', 'no reports'])
@pytest.mark.parametrize('name', MEASURING)
def test_policies_with_measures_read_a_slow_node_less(name, reports):
    assert avoids_the_slow_node(make_policy(ReplicaOptions(policy=name)), reports)


@pytest.mark.parametrize('reports', [True, False], ids=['reports', 'no reports'])
@pytest.mark.parametrize('name', MEASURING)
def test_with_the_costs_sign_flipped_a_slow_node_is_read_most(name, reports):
    assert not avoids_the_slow_node(flipped(name), reports)


@pytest.mark.parametrize('name', sorted(MEASURE_NOTHING))
def test_policies_without_measures_do_not_avoid_a_slow_node(name):
    assert not avoids_the_slow_node(make_policy(ReplicaOptions(policy=name)), True)
