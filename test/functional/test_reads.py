"""Every kind of read through swift-lb from a real Swift: clients get what plain Swift answers."""
import hashlib
import json
import random

import pytest

BODY = random.Random(1).randbytes(300_000)
ETAG = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
BOTH = pytest.mark.parametrize('container', ['c', 'ec'])


@pytest.fixture(scope='module', autouse=True)
def objects(cluster, quick):
    """Write `whole`, of BODY, and `empty` to containers `c` and `ec`, for all tests of the file."""
    cluster.lab.handicap(clear=True)
    cluster.restart(**quick)
    for container in ('c', 'ec'):
        cluster.put(f'/{container}/whole', BODY)
        cluster.put(f'/{container}/empty', b'')


@BOTH
@pytest.mark.parametrize(('name', 'method', 'wanted', 'status', 'body'), [
    ('whole', 'GET', {}, 200, BODY), ('whole', 'HEAD', {}, 200, b''),
    ('whole', 'GET', {'Range': 'bytes=0-99'}, 206, BODY[:100]),
    ('whole', 'GET', {'Range': 'bytes=100000-'}, 206, BODY[100_000:]),
    ('whole', 'GET', {'Range': 'bytes=-50'}, 206, BODY[-50:]),
    ('whole', 'GET', {'Range': 'bytes=400000-'}, 416, None),
    ('whole', 'GET', {'If_None_Match': ETAG}, 304, b''),
    ('whole', 'GET', {'If_Match': '"other"'}, 412, None),
    ('whole', 'GET', {'If_Match': ETAG}, 200, BODY),
    ('empty', 'GET', {}, 200, b''),
    ('nothing', 'GET', {}, 404, None), ('nothing', 'HEAD', {}, 404, b'')])
def test_a_read_has_the_status_and_body_of_plain_swift(
        cluster, container, name, method, wanted, status, body):
    answer = cluster.ask(f'/{container}/{name}', method, **wanted)
    assert (status, answer.body if body is None else body) == (answer.status, answer.body)
    if name == 'whole' and status == 200:
        assert (ETAG, '300000') == (answer.headers['etag'], answer.headers['content-length'])


@BOTH
def test_a_multi_range_read_returns_each_range(cluster, container):
    answer = cluster.ask(f'/{container}/whole', Range='bytes=10-19,200000-200009')
    assert answer.status == 206
    assert answer.headers['content-type'].startswith('multipart/byteranges')
    assert answer.body.index(BODY[10:20]) < answer.body.index(BODY[200_000:200_010])


@BOTH
def test_a_static_large_object_is_read_whole(cluster, container):
    segments = [{'path': f'/{container}/whole'}, {'path': f'/{container}/whole'}]
    cluster.put(f'/{container}/large?multipart-manifest=put', json.dumps(segments).encode())
    assert (200, BODY * 2) == cluster.ask(f'/{container}/large')[::2]
    assert BODY[-5:] + BODY[:5] == cluster.ask(
        f'/{container}/large', Range='bytes=299995-300004').body


def test_put_post_delete_and_listings_work_as_in_plain_swift(cluster):
    cluster.put('/c/short lived', b'x')
    assert cluster.ask('/c/short lived', 'POST', X_Object_Meta_Color='blue').status == 202
    assert cluster.ask('/c/short lived', 'HEAD').headers['x-object-meta-color'] == 'blue'
    assert cluster.ask('/c/short lived', 'DELETE').status == 204
    assert b'whole' in cluster.ask('/c').body


def test_the_status_page_has_no_read_in_flight_and_no_error_at_last(cluster):
    facts = cluster.nodes()
    assert {1, 2, 3} == set(facts)
    for node in facts.values():
        assert (0, None, 0, 0) == (node['in_flight'], node['oldest_wait'], node['errors'],
                                   node['timeouts'])
        assert node['successes'] > 0
