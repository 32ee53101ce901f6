"""Two clusters on real links: what is absent in one is fetched from the other, and only that."""
import json
import os
import subprocess
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from support.wide_area import missing, sites_with_labs

from swift_lb.clock import monotonic, sleep
from swift_lb.clusters_file import read
from swift_lb.lab.spec import LabSpec
from swift_lb.lab.wan import namespaces, wan
from swift_lb.model import UP
from swift_lb.proxy.dispatch.cluster_requests import CONNECT

pytestmark = pytest.mark.skipif(reason := missing(), reason=str(reason))

RTT, RATE = 0.02, 20e6 / 8      # seconds, bytes per second
FILE = '[link ksu ucsb]\nrtt = 20ms\nrate = 20M\n'
KEY = 'the key of the status page'
OPTIONS = {'filter:lb_dispatcher:key': KEY}
PATIENCE = 60.0     # seconds until a condition must hold; it takes 10 at most


class TwoClusters:
    """The labs of the sites ksu and ucsb, by way of a client of this machine."""

    def __init__(self, labs):
        self.labs = labs
        self._tokens = {site: lab.token() for site, lab in labs.items()}

    def ask(self, site, path, method='GET', body=None, owner=False, **headers):
        """Return (status, headers, body) of a request; with `owner` it carries the token."""
        headers = {name.replace('_', '-'): text for name, text in headers.items()}
        if owner and self._tokens[site]:
            headers['X-Auth-Token'] = self._tokens[site]
        account = urlsplit(self.labs[site].storage_url()).path
        return self._get(site, account + path, method, body, headers)

    def _get(self, site, path, method, body, headers):
        connection = HTTPConnection(urlsplit(self.labs[site].endpoint).netloc, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def read_from(self, site, other, path):
        """Read a public object of the cluster `other` as a client at `site` does."""
        subprocess.run([*namespaces.inside(site), 'curl', '--fail', '--silent', '--output',
                        os.devnull, self.labs[other].storage_url() + path], check=True, timeout=60)

    def put(self, site, path, body=b'', **headers):
        """Make a container or object in the cluster of `site`."""
        assert self.ask(site, path, 'PUT', body, owner=True, **headers)[0] in (201, 202)

    def page(self, site):
        """Return the page of the dispatcher of `site`."""
        _status, _headers, body = self._get(site, '/lb/dispatch', 'GET', None,
                                            {'X-Lb-Status-Key': KEY})
        return json.loads(body)

    def counts(self, site):
        """Return {counter: value} of the dispatcher of `site`."""
        return self.page(site)['counts']

    def known(self, site):
        """Return the Clusters that the first agent of `site` has written for its dispatcher."""
        clusters, _fault = read(self.labs[site].directory / 'run' / 'clusters-1.json')
        return clusters

    def alive(self, site):
        """Return the set of clusters that the dispatcher of `site` may ask now."""
        known = self.page(site)['clusters'] or {'others': ()}
        return {one['cluster'] for one in known['others'] if one['state'] == UP}


def wait_until(condition):
    """Return when `condition()` holds; it must within PATIENCE."""
    until = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < until
        sleep(0.1)


@pytest.fixture(scope='module')
def two():
    """TwoClusters that have heard each other; container c is public, and in both."""
    specs = [LabSpec(name=f'cluster-{site}', site=site, nodes=2, replicas=2, dispatch=True,
                     proxy_options=OPTIONS) for site in ('ksu', 'ucsb')]
    with sites_with_labs(FILE, specs) as labs:
        clusters = TwoClusters(labs)
        for site in labs:
            clusters.put(site, '/c', X_Container_Read='.r:*',
                         X_Container_Meta_Lb_Clusters='ksu, ucsb')
            clusters.put(site, '/own', X_Container_Read='.r:*')
            wait_until(lambda site=site: clusters.alive(site))
        for asked, other in (('ksu', 'ucsb'), ('ucsb', 'ksu')):     # workers look once a second
            wait_until(lambda asked=asked, other=other: clusters.ask(asked, '/c/none')
                       and 'local cluster' in clusters.counts(other))
        yield clusters


def test_a_read_of_an_object_that_only_the_other_cluster_has_gets_its_bytes(two):
    two.put('ucsb', '/c/far', b'bytes of ucsb', X_Object_Meta_Colour='blue')
    status, headers, body = two.ask('ksu', '/c/far')
    assert (200, b'bytes of ucsb', 'blue') == (status, body, headers['X-Object-Meta-Colour'])
    assert (206, b'of') == two.ask('ksu', '/c/far', Range='bytes=6-7')[::2]
    status, headers, body = two.ask('ksu', '/c/far', 'HEAD')
    assert (200, '13', b'') == (status, headers['Content-Length'], body)
    assert 304 == two.ask('ksu', '/c/far', If_None_Match=headers['Etag'])[0]
    assert two.counts('ksu')['fetched ucsb absent'] >= 4


def test_an_object_that_no_cluster_has_is_asked_for_once_in_the_other(two):
    before = two.counts('ucsb'), two.counts('ksu')
    assert 404 == two.ask('ksu', '/c/nowhere')[0]
    after = two.counts('ucsb'), two.counts('ksu')
    assert 1 == after[0]['local cluster'] - before[0].get('local cluster', 0)
    assert before[1].get('local cluster', 0) == after[1].get('local cluster', 0)
    assert after[1]['cluster_failures ucsb 404'] >= 1


def test_an_object_that_was_deleted_here_stays_deleted(two):
    for site in two.labs:
        two.put(site, '/c/deleted', b'bytes of ' + site.encode())
    assert 204 == two.ask('ksu', '/c/deleted', 'DELETE', owner=True)[0]
    assert 404 == two.ask('ksu', '/c/deleted')[0]
    assert 200 == two.ask('ucsb', '/c/deleted')[0]


def test_nothing_is_fetched_while_a_primary_is_down_which_may_have_a_tombstone(two):
    two.put('ucsb', '/c/unsure', b'x')
    two.labs['ksu'].stop_node(1)
    try:
        assert two.ask('ksu', '/c/unsure')[0] in (404, 503)
    finally:
        two.labs['ksu'].start_node(1)
    wait_until(lambda: two.ask('ksu', '/c/unsure')[0] == 200)


def test_an_object_of_a_container_that_names_no_clusters_stays_absent(two):
    two.put('ucsb', '/own/o', b'x')
    assert 404 == two.ask('ksu', '/own/o')[0]


def test_an_object_that_is_here_is_not_fetched(two):
    for site in two.labs:
        two.put(site, '/c/both', b'bytes of ' + site.encode())
    assert (200, b'bytes of ksu') == two.ask('ksu', '/c/both')[::2]


def test_a_read_that_needs_a_token_unknown_there_stays_here_which_is_remembered(two):
    for site in two.labs:
        two.put(site, '/private', X_Container_Meta_Lb_Clusters='ksu, ucsb')
    two.put('ucsb', '/private/o', b'x')
    assert 401 == two.ask('ksu', '/private/o')[0]
    assert 404 == two.ask('ksu', '/private/o', owner=True)[0]
    before = two.counts('ksu')['cluster_failures ucsb 401'], two.counts('ucsb')['local cluster']
    assert 404 == two.ask('ksu', '/private/o', owner=True)[0]
    assert before == (two.counts('ksu')['cluster_failures ucsb 401'],
                      two.counts('ucsb')['local cluster'])


def test_a_cluster_behind_a_broken_link_is_not_asked_until_it_is_heard_again(two):
    two.put('ucsb', '/c/cut', b'x')
    wan.change(['down'])
    try:
        assert 404 == two.ask('ksu', '/c/cut')[0]
        wait_until(lambda: not two.alive('ksu'))
        sleep(2 * CONNECT)      # idle connections that were wanted before have failed by then
        before = two.counts('ksu')
        assert 404 == two.ask('ksu', '/c/cut')[0]
        assert before['cluster_failures ucsb unanswered'] == two.counts('ksu')[
            'cluster_failures ucsb unanswered']
    finally:
        wan.change(['up'])
    wait_until(lambda: two.ask('ksu', '/c/cut')[0] == 200)


def test_what_a_prediction_needs_is_measured_by_reads_and_told_to_the_other_cluster(two):
    two.put('ucsb', '/c/large', bytes(1_500_000))
    for _time in range(4):
        assert 200 == two.ask('ksu', '/c/large')[0]
        two.read_from('ksu', 'ucsb', '/c/large')

    def link():
        return two.known('ksu').links.get('ucsb')
    wait_until(lambda: link() and link().bandwidth)
    wait_until(lambda: abs(link().bandwidth - RATE) <= 0.3 * RATE)
    wait_until(lambda: two.known('ksu').times.get('ucsb', {}).get('small'))
    assert 0 < two.known('ksu').times['ucsb']['small'].seconds < PATIENCE
    wait_until(lambda: '198.18.1.0/24' in two.known('ksu').paths.get('ucsb', {}))
    path = two.known('ksu').paths['ucsb']['198.18.1.0/24']
    assert path.rtt >= RTT
    assert 0 < path.bandwidth < 2 * RATE
