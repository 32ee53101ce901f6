"""The rings of a lab: devices of every region, and replicas of every partition in each."""
import pytest
from swift.common.ring.ring import RingData

from swift_lb.lab import rings
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.state import State

NETWORKS = ('198.18.1', '198.18.2')


def written(directory, networks, **spec):
    """Return {name of a ring: its RingData} of a lab on `networks`."""
    (directory / 'etc').mkdir()
    rings.write_rings(directory, State(LabSpec(**spec), networks, False, {}))
    return {path.name.partition('.')[0]: RingData.load(str(path))
            for path in (directory / 'etc').glob('*.ring.gz')}


def regions_of(ring):
    """Return [the set of regions that hold a replica] of each partition."""
    return [{ring.devs[devices[part]]['region'] for devices in ring._replica2part2dev_id}
            for part in range(len(ring._replica2part2dev_id[0]))]


@pytest.mark.parametrize('replicas', [2, 3])
def test_every_partition_of_every_ring_has_replicas_in_both_regions(tmp_path, replicas):
    of = written(tmp_path, NETWORKS, regions=2, replicas=replicas, ec=True, second_policy=True)
    only = {1: of.pop('object-11'), 2: of.pop('object-12')}
    assert {'account', 'container', 'object', 'object-1', 'object-2'} == {*of}
    for ring in of.values():
        assert all({1, 2} == regions for regions in regions_of(ring))
    for region, ring in only.items():
        assert all({region} == regions for regions in regions_of(ring))


def test_a_region_has_its_own_servers_and_each_node_a_zone(tmp_path):
    of = written(tmp_path, NETWORKS, regions=2, nodes=2)
    assert [(1, 1, '198.18.1.11'), (1, 2, '198.18.1.12'), (2, 3, '198.18.2.11'),
            (2, 4, '198.18.2.12')] == [(one['region'], one['zone'], one['ip'])
                                       for one in of['object'].devs]
    assert {(1, '198.18.1.2'), (2, '198.18.2.2')} == {
        (one['region'], one['ip']) for one in of['container'].devs}


def test_a_lab_without_regions_has_all_its_devices_in_region_1(tmp_path):
    of = written(tmp_path, ('127.64.0',))
    assert {1} == {one['region'] for ring in of.values() for one in ring.devs}
