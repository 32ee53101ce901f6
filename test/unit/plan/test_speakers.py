"""Which nodes speak for their cluster to another one."""
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from swift_lb.plan.groups import groups
from swift_lb.plan.speakers import BALANCE, SPEAKERS, balanced, in_order, spoken_to

NODES = ('n0', 'n1', 'n2', 'n3', 'n4', 'n5')
HUNDRED = [f'g{group}.c{number}' for group in range(10) for number in range(10)]


def speaking(node, nodes=NODES, here='g0.c0'):
    """Return {name: clusters} to which a node of one of a HUNDRED clusters speaks."""
    known = groups(here, HUNDRED)
    return spoken_to(node, list(nodes), known, {*known.known.values()})


def owners(nodes, wanted):
    """Return {other cluster: the set of the nodes that speak to it}."""
    spoken = balanced(wanted, nodes)
    return {other: {node for node in nodes if other in spoken[node]} for other, _count in wanted}


def test_two_nodes_speak_and_the_next_takes_the_place_of_a_missing_one():
    first = in_order('b', NODES)
    assert {*first[:2]} == owners(NODES, (('b', SPEAKERS),))['b']
    rest = tuple(name for name in NODES if name != first[0])
    assert {*first[1:3]} == owners(rest, (('b', SPEAKERS),))['b']
    assert {'n0'} == owners(('n0',), (('b', SPEAKERS),))['b']
    assert {} == balanced((('b', SPEAKERS),), ())
    assert 1 < len({tuple(in_order(f'c{number}', NODES)[:2]) for number in range(20)})


@given(st.dictionaries(st.integers(0, 99), st.integers(1, SPEAKERS), max_size=60),
       st.sets(st.integers(0, 9), min_size=1), st.randoms(use_true_random=False))
def test_each_cluster_has_its_speakers_in_any_order_and_no_node_has_much_more(others, nodes, rng):
    wanted = tuple((f'c{other}', count) for other, count in others.items())
    nodes = tuple(f'n{node}' for node in nodes)
    spoken = balanced(wanted, nodes)
    shuffled = tuple(rng.sample(wanted, len(wanted)))
    assert {node: sorted(ones) for node, ones in spoken.items()} == {
        node: sorted(ones) for node, ones in balanced(
            shuffled, tuple(rng.sample(nodes, len(nodes)))).items()}
    assert Counter(other for ones in spoken.values() for other in ones) == {
        other: min(count, len(nodes)) for other, count in wanted}


def test_of_100_clusters_no_node_speaks_to_many_more_than_another():
    for here in HUNDRED[::9]:
        counts = [sum(map(len, speaking(node, here=here).values())) for node in NODES]
        assert max(counts) <= BALANCE * sum(counts) / len(NODES) + 1


def test_two_nodes_speak_to_each_sibling_and_one_to_a_cluster_of_another_group():
    counts = Counter((name, other) for node in NODES
                     for name, others in speaking(node).items() for other in others)
    assert {2} == {count for (name, _other), count in counts.items() if name == 'g0.c0'}
    assert {1} == {count for (name, _other), count in counts.items() if name == 'g0'}
    assert {f'g0.c{number}' for number in range(1, 10)} == {
        other for name, other in counts if name == 'g0.c0'}


def test_if_a_node_is_down_few_clusters_get_another_speaker_but_its_own():
    wanted = tuple((f'c{number}', 1) for number in range(60))
    before = owners(NODES, wanted)
    for gone in NODES:
        after = owners(tuple(node for node in NODES if node != gone), wanted)
        changed = [other for other in after if before[other] - {gone} != after[other] and
                   before[other] != {gone}]
        assert len(changed) <= 6
