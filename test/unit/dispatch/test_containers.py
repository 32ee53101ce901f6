"""What is known of containers, and which clusters may serve their objects."""
import pytest

from swift_lb.dispatch.containers import (
    FRESH,
    MAX_CONTAINERS,
    MAX_OBJECTS,
    ContainerFacts,
    Containers,
    heard_as,
    may_serve,
)
from swift_lb.model import ClusterSummary

CONTAINER = '/v1/a/c'
FACTS = ContainerFacts(('ucsb', 'eu'), 1, immutable=True)


def summaries(**rings):
    return {name.replace('_', '.'): ClusterSummary(name, 'n', 1, 1, 1.7e9, 2.0, '', 1, 0.0, 0.0,
                                                   ring=ring) for name, ring in rings.items()}


def test_a_container_is_known_for_a_minute():
    containers = Containers()
    assert containers.facts(CONTAINER, 0.0) is None
    containers.learn(CONTAINER, FACTS, 0.0)
    assert containers.facts(CONTAINER, FRESH - 1) is FACTS
    assert containers.facts(CONTAINER, FRESH) is None


def test_a_container_is_old_after_half_a_minute_until_it_is_learnt_again():
    containers = Containers()
    assert not containers.is_old(CONTAINER, 0.0)
    containers.learn(CONTAINER, FACTS, 0.0)
    assert not containers.is_old(CONTAINER, FRESH / 2 - 1)
    assert containers.is_old(CONTAINER, FRESH / 2)
    containers.learn(CONTAINER, FACTS, FRESH / 2)
    assert not containers.is_old(CONTAINER, FRESH - 1)


def test_the_size_of_an_unknown_object_is_the_geometric_mean_of_its_container():
    containers = Containers()
    containers.learn(CONTAINER, FACTS, 0.0)
    assert containers.size(CONTAINER, f'{CONTAINER}/o') is None
    for number in range(500):
        containers.note_size(CONTAINER, f'{CONTAINER}/{number}', 100 if number % 2 else 10_000)
    assert containers.size(CONTAINER, f'{CONTAINER}/0') == 10_000
    assert containers.size(CONTAINER, f'{CONTAINER}/o') == pytest.approx(1000, rel=0.2)


def test_the_memory_of_containers_and_objects_is_bounded():
    containers = Containers()
    for number in range(MAX_CONTAINERS + 1):
        containers.learn(str(number), FACTS, 0.0)
        containers.note_size(str(number), f'o{number}', 1)
    assert containers.facts('0', 0.0) is None
    assert containers.facts('1', 0.0) is FACTS
    assert containers.size('0', 'o0') is None
    assert len(containers._means) <= MAX_CONTAINERS
    assert len(containers._sizes) == MAX_OBJECTS


def test_a_cluster_that_is_only_heard_as_part_of_a_group_is_the_group():
    heard = summaries(us='', eu_west='')
    assert 'us' == heard_as('us.central.ksu', heard)
    assert 'eu.west' == heard_as('eu.west', heard)
    assert heard_as('eu', heard) is None


@pytest.mark.parametrize(('facts', 'ring', 'names'), [
    (FACTS, '', ('ucsb', 'eu')), (FACTS, 'ab', ('ucsb', 'eu', 'ksu')),
    (ContainerFacts(()), 'ab', ('ksu',)), (ContainerFacts(()), '', ()),
    (ContainerFacts(('none',)), 'ab', ()), (ContainerFacts(('asia',)), '', ())])
def test_named_clusters_and_regions_may_serve_a_container(facts, ring, names):
    assert names == may_serve(facts, summaries(ucsb='', eu='cd', ksu='ab'), ring)
