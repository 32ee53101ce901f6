"""Every kind of read through swift-lb from a real Swift: clients get what plain Swift answers."""
import hashlib
import json
import random

import pytest

BODY = random.Random(1).randbytes(300_000)
BOTH = pytest.mark.parametrize('container', ['c', 'ec'])


@pytest.fixture(scope='module', autouse=True)
def objects(cluster, quick):
    """Write the objects that the tests read."""
    cluster.lab.handicap(clear=True)
    cluster.restart(**quick)
    for container in ('c', 'ec'):
        cluster.put(f'/{container}/whole', BODY)
        cluster.put(f'/{container}/empty', b'')


@BOTH
def test_get(cluster, container):
    answer = cluster.ask(f'/{container}/whole')
    assert (200, BODY) == (answer.status, answer.body)
    assert hashlib.md5(BODY).hexdigest() == answer.headers['etag']


@BOTH
def test_head(cluster, container):
    answer = cluster.ask(f'/{container}/whole', 'HEAD')
    assert (200, b'', '300000') == (answer.status, answer.body, answer.headers['content-length'])


@BOTH
@pytest.mark.parametrize(('wanted', 'body'), [
    ('bytes=0-99', BODY[:100]), ('bytes=100000-', BODY[100_000:]), ('bytes=-50', BODY[-50:])])
def test_range(cluster, container, wanted, body):
    answer = cluster.ask(f'/{container}/whole', Range=wanted)
    assert (206, body) == (answer.status, answer.body)


@BOTH
def test_multi_range(cluster, container):
    answer = cluster.ask(f'/{container}/whole', Range='bytes=10-19,200000-200009')
    assert answer.status == 206
    assert answer.headers['content-type'].startswith('multipart/byteranges')
    assert answer.body.index(BODY[10:20]) < answer.body.index(BODY[200_000:200_010])


@BOTH
def test_empty_object(cluster, container):
    answer = cluster.ask(f'/{container}/empty')
    assert (200, b'') == (answer.status, answer.body)


@BOTH
def test_missing_object(cluster, container):
    assert [404, 404] == [cluster.ask(f'/{container}/nothing', method).status
                          for method in ('GET', 'HEAD')]


@BOTH
def test_conditional(cluster, container):
    etag = hashlib.md5(BODY).hexdigest()
    path = f'/{container}/whole'
    assert (304, b'') == cluster.ask(path, If_None_Match=etag)[::2]
    assert cluster.ask(path, If_Match='"other"').status == 412
    assert cluster.ask(path, Range='bytes=400000-').status == 416
    assert (200, BODY) == cluster.ask(path, If_Match=etag)[::2]


@BOTH
def test_static_large_object(cluster, container):
    segments = [{'path': f'/{container}/whole'}, {'path': f'/{container}/whole'}]
    cluster.put(f'/{container}/large?multipart-manifest=put', json.dumps(segments).encode())
    assert (200, BODY * 2) == cluster.ask(f'/{container}/large')[::2]
    assert BODY[-5:] + BODY[:5] == cluster.ask(
        f'/{container}/large', Range='bytes=299995-300004').body


def test_writes_and_listings(cluster):
    cluster.put('/c/short lived', b'x')
    assert cluster.ask('/c/short lived', 'POST', X_Object_Meta_Color='blue').status == 202
    assert cluster.ask('/c/short lived', 'HEAD').headers['x-object-meta-color'] == 'blue'
    assert cluster.ask('/c/short lived', 'DELETE').status == 204
    assert b'whole' in cluster.ask('/c').body


def test_no_read_is_in_flight_and_no_node_blamed(cluster):
    facts = cluster.nodes()
    assert {1, 2, 3} == set(facts)
    for node in facts.values():
        assert (0, None, 0, 0) == (node['in_flight'], node['oldest_wait'], node['errors'],
                                   node['timeouts'])
        assert node['successes'] > 0
