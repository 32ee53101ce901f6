"""Labels of the policies that the simulator compares, with the suffixes @host and +hedge."""
from collections import Counter

import pytest
from support.small_cluster import kind, node, scenario

from swift_lb.errors import ConfigError
from swift_lb.policy import POLICIES
from swift_lb.sim.cluster import Cluster
from swift_lb.sim.contenders import contender_factory, labels, says


def cluster(label):
    """Return a Cluster under the policy `label`: two workers, devices of 10 ms and of 5 ms."""
    small = scenario([kind(), kind('constant 5ms')], workers=2, load=0.5, seconds=5)
    return Cluster(small, contender_factory(label), 1)


@pytest.mark.parametrize('label', [*labels(), 'shuffle+hedge', 'lb_rlt@host+hedge',
                                   'oracle+hedge', 'adaptive+hedge'])
def test_every_policy_variant_is_simulated_and_described(label):
    assert 300 < len(cluster(label).run().ended_at) < 1200
    assert says(label).endswith('.')


def test_every_registered_policy_can_be_simulated():
    assert {*POLICIES, 'oracle', 'affinity'} <= {*labels()}


def test_the_suffix_host_makes_workers_share_measurements():
    def books(label):
        return len({id(worker.book) for worker in cluster(label).workers})
    assert [2, 1, 2, 1] == [books(label) for label in (
        'lb_rlt', 'lb_rlt@host', 'lb_rlt+hedge', 'lb_rlt@host+hedge')]


def test_the_suffix_hedge_makes_reads_hedged():
    plain, hedged = cluster('shuffle').run(), cluster('shuffle+hedge').run()
    assert len(plain.asked_at) - len(plain.ended_at) < 10 < (
        len(hedged.asked_at) - len(hedged.ended_at))


def test_the_policy_weighted_gets_the_true_speeds_as_weights():
    policy = cluster('weighted').policy
    assert policy.weight(node(2)) == pytest.approx(2 * policy.weight(node(1)))


def test_policy_affinity_shares_reads_among_the_fastest_devices():
    slow, fast = kind('constant 20ms'), kind('constant 10ms')
    small = scenario([slow, fast, fast], load=0.3, seconds=20)
    asked = Counter(Cluster(small, contender_factory('affinity'), 1).run().asked_nodes)
    assert {node(2), node(3)} == {*asked}
    assert asked[node(2)] == pytest.approx(asked[node(3)], rel=0.2)   # 1,500 reads
    even = Cluster(scenario([fast] * 3, load=0.3, seconds=20),
                   contender_factory('affinity'), 1).run()
    assert {node(1), node(2), node(3)} == {*even.asked_nodes}


@pytest.mark.parametrize('label', ['oracle@host', 'shufle', 'lb_rlt@', 'lb_rlt@host@host', '',
                                   'lb_rlt+hedge@host', 'lb_rlt+hedge+hedge', '+hedge'])
def test_the_error_for_an_unknown_policy_lists_all_policies(label):
    with pytest.raises(ConfigError, match='the policies are oracle, affinity, shuffle, '):
        contender_factory(label)
