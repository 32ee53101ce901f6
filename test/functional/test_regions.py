"""Sites with one Swift of two regions, and with a Swift whose containers are synced with it."""
from urllib.request import Request, urlopen

import pytest
from support.cluster import SwiftCluster, eventually
from support.wide_area import missing, sites_with_labs

from swift_lb.clock import monotonic
from swift_lb.clusters_file import read
from swift_lb.dispatch.clusters import alive
from swift_lb.lab.spec import LabSpec

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

FILE = '[link ksu umd]\nrtt = 20ms\n[link ksu ucsb]\nrtt = 20ms\n[link umd ucsb]\nrtt = 20ms\n'
REGIONS, OTHER = 'ksu,umd', 'ucsb'


@pytest.fixture(scope='module')
def labs():
    """{site: Lab} of a Swift with regions in ksu and umd, and of another in ucsb; both sync."""
    small = {'nodes': 1, 'sync': True}
    with sites_with_labs(FILE, [
            LabSpec(name='regions', site=REGIONS, regions=2, replicas=2, dispatch=True, **small),
            LabSpec(name='synced', site=OTHER, replicas=1, **small)]) as labs:
        yield labs


@pytest.fixture(scope='module')
def regions(labs):
    """A SwiftCluster that asks the proxy of region 1; all may read the container c."""
    cluster = SwiftCluster(labs[REGIONS])
    cluster.put('/c', X_Container_Read='.r:*')
    return cluster


def read_in(region, lab, path):
    """Return the body of a GET of `path`, which all may read, by the proxy of `region`."""
    account = lab.storage_url().removeprefix(lab.endpoint)
    with urlopen(Request(f'{lab.endpoints[region - 1]}{account}{path}'), timeout=60) as answer:
        return answer.read()


def replicas(lab, server, body):
    """Return how many files of an object whose bytes are `body` an object server has."""
    return sum(path.read_bytes() == body
               for path in (lab.directory / 'data' / server).rglob('*.data'))


def test_both_regions_have_a_replica_of_what_one_proxy_stored(regions):
    regions.put('/c/o', b'in both regions')
    assert b'in both regions' == read_in(2, regions.lab, '/c/o')
    for server in ('object-1', 'object-2'):
        assert eventually(
            lambda server=server: 1 == replicas(regions.lab, server, b'in both regions'))


def test_regions_are_clusters_named_as_their_sites_with_the_same_rings(regions):
    heard = {}
    for agent, other in ((1, 'umd'), (2, 'ksu')):
        def summary(agent=agent, other=other):
            clusters, _fault = read(regions.lab.directory / f'run/clusters-{agent}.json')
            return alive(clusters, monotonic()).get(other)
        heard[other] = eventually(summary)
    assert heard['umd'].ring == heard['ksu'].ring != ''


def test_servers_of_a_region_are_slowed_and_restarted_in_its_site(regions):
    lab = regions.lab
    regions.put('/c/again', b'again')
    lab.handicap(node=2, mean=0.001)
    assert {'mean': '0.001'} == lab.nodes.report(2)['rules']['node']
    lab.stop_node(2)
    lab.start_node(2)
    lab.restart_proxies({'sorting_method': 'affinity', 'read_affinity': 'r2=100'})
    before = lab.served()[2, 'sd0']['by_method'].get('GET', 0)
    assert b'again' == read_in(2, lab, '/c/again')
    assert before + 1 == lab.served()[2, 'sd0']['by_method']['GET']


def test_an_object_arrives_in_the_synced_container_of_another_site_as_it_is(labs, regions):
    other = SwiftCluster(labs[OTHER])
    account = labs[OTHER].storage_url().rpartition('/')[2]
    other.put('/copies', X_Container_Sync_Key='of both')
    regions.put('/synced', X_Container_Sync_Key='of both',
                X_Container_Sync_To=f'//swift-lb/{OTHER}/{account}/copies')
    regions.put('/synced/o', b'over the link', X_Object_Meta_Colour='blue')
    here = regions.ask('/synced/o', 'HEAD').headers
    assert eventually(lambda: 200 == other.ask('/copies/o', 'HEAD').status)
    there = other.ask('/copies/o')
    assert b'over the link' == there.body
    for name in ('etag', 'x-timestamp', 'x-object-meta-colour'):
        assert here[name] == there.headers[name]
