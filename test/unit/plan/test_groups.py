"""Groups of clusters: who knows whom by which name, and summaries of groups."""
import functools
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import ClusterSummary, ContentTime, ImageState
from swift_lb.plan.groups import NOTHING, aggregate, branches, groups, is_in, part_of

TEN_BY_TEN = [f'g{group}.c{cluster}' for group, cluster in itertools.product(range(10), repeat=2)]
NAMES = st.sets(st.sampled_from(['a', 'b', 'c.a', 'c.b', 'd.a.a', 'd.a.b', 'd.b', 'e.a.a.a']),
                min_size=2)
LOADS = st.floats(0.01, 100.0)
TIMES = st.dictionaries(st.sampled_from(['small', 'large']), st.tuples(LOADS, LOADS))
IMAGES = st.none() | st.builds(ImageState, LOADS, st.integers(1, 99), LOADS, LOADS, LOADS, LOADS)
CREDITS = st.dictionaries(st.sampled_from('ab'), LOADS)


@st.composite
def summaries(draw):
    """Draw the ClusterSummary of a cluster, or of one without nodes or without known loads."""
    nodes = draw(st.integers(0, 5))
    loads = sorted([draw(LOADS), draw(LOADS)], reverse=True) if nodes else (None, None)
    if draw(st.integers(0, 9)) == 0:
        loads = None, None
    times = draw(TIMES)
    return NOTHING._replace(
        url=draw(st.sampled_from(['', 'http://a', 'http://b'])), nodes=nodes, load=loads[0],
        least_load=loads[1], relays=draw(st.sampled_from([(), ('10.0.0.1:80',), ('10.0.0.2:80',)])),
        times=tuple(ContentTime(content, *times[content]) for content in sorted(times)),
        credits=tuple(sorted(draw(CREDITS).items())), ring=draw(st.sampled_from(['', 'aa', 'bb'])),
        image=draw(IMAGES))


def same(one, other):
    """Return whether two summaries are equal but for the rounding of sums."""
    return (one._replace(load=None, image=None) == other._replace(load=None, image=None)
            and one.load == pytest.approx(other.load)
            and one.image == (other.image and pytest.approx(other.image)))


@pytest.mark.parametrize(('here', 'known'), [
    ('us.west.a', {'us.west.b', 'us.central', 'us.far', 'eu', 'asia.x', 'here'}),
    ('us.far', {'us.west', 'us.central', 'eu', 'asia.x', 'here'}),
    ('here', {'us', 'eu', 'asia.x'}), ('eu.b', {'eu.a', 'us', 'asia.x', 'here'})])
def test_a_cluster_knows_its_siblings_and_one_name_of_each_other_group(here, known):
    names = ['us.west.a', 'us.west.b', 'us.central.a', 'us.central.b', 'us.far', 'eu.a', 'eu.b',
             'asia.x', 'here']
    assert {*groups(here, names).known.values()} == known


@pytest.mark.parametrize('names', [
    ['a', 'b', 'c'], ['us.a', 'us.b', 'us.c'], ['us.ksu', 'eu.ox'], ['a', 'us.b', 'eu.x.c']])
def test_clusters_without_groups_know_each_other_by_their_own_names(names):
    for here in names:
        known = groups(here, names)
        assert known.known == {name: name for name in names if name != here}
        assert known.told == {name: here for name in names if name != here}


def test_a_hundred_clusters_in_ten_groups_know_18_names_each():
    for here in TEN_BY_TEN:
        assert len({*groups(here, TEN_BY_TEN).known.values()}) == 18


@given(NAMES)
def test_what_one_cluster_is_told_is_what_the_other_one_knows(names):
    known = {name: groups(name, names) for name in names}
    for one, other in itertools.permutations(names, 2):
        assert known[one].known[other] == known[other].told[one]
        assert {one, *known[one].near[known[one].told[other]]} == {
            *known[other].far[known[other].known[one]]}


@given(NAMES)
def test_the_parts_of_all_clusters_of_a_group_are_the_whole(names):
    for group in {branch for name in names for branch in branches(name)}:
        parts = [part_of(group, name, {*groups(name, names).known.values()})
                 for name in names if is_in(name, group)]
        assert math.fsum(parts) == pytest.approx(1.0)


@given(summaries(), summaries(), summaries())
def test_the_summary_of_a_group_does_not_depend_on_order_or_depth(one, two, three):
    assert same(aggregate(one, two), aggregate(two, one))
    assert same(aggregate(aggregate(one, two), three), aggregate(one, aggregate(two, three)))


@given(summaries())
def test_nothing_added_to_a_group_changes_nothing(one):
    assert same(one, aggregate(one, NOTHING))
    assert same(one, aggregate(NOTHING, one))


def test_the_summary_of_a_group_has_the_papers_numbers_of_all_nodes():
    parts = [ClusterSummary(
        f'us.{name}', 'n', 1, 1, 0.0, 2.0, f'http://{name}', nodes, load, least,
        (f'10.0.0.{nodes}:80',), (ContentTime('small', least, 0.1),), (('eu', load),), 'aa')
        for name, nodes, load, least in [('a', 1, 5.0, 5.0), ('b', 3, 1.0, 0.5)]]
    whole = functools.reduce(aggregate, parts)
    assert (4, 2.0, 0.5) == (whole.nodes, whole.load, whole.least_load)
    assert ('http://b', ('10.0.0.3:80',)) == (whole.url, whole.relays)
    assert ((ContentTime('small', 0.5, 0.1),), (('eu', 1.0),), 'aa') == (
        whole.times, whole.credits, whole.ring)
    assert aggregate(whole, parts[0]._replace(ring='')).ring == ''
    assert aggregate(whole, parts[0]._replace(load=None)).load is None


def test_a_group_has_all_decoders_of_its_clusters_and_their_means_by_number():
    one, other = ImageState(0.4, 1, 1.0, 2.0, 3.0, 4.0), ImageState(0.0, 3, 2.0, 2.0, 1.0, 0.0)
    whole = functools.reduce(aggregate, [NOTHING._replace(image=image)
                                         for image in (one, None, other)])
    assert whole.image == pytest.approx((0.1, 4, 1.75, 2.0, 1.5, 1.0))


@given(st.lists(summaries(), min_size=2, max_size=4))
def test_the_credit_of_a_group_is_that_of_the_cluster_whose_relays_it_tells(parts):
    whole = functools.reduce(aggregate, parts)
    assert (whole.relays, whole.credits) in {(one.relays, one.credits) for one in parts}
