"""Delegated requests have the same status, header and body as others, and one line in each log."""
import hashlib
import io
import json
import re
import tarfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.dispatch_bodies import MIB, peaks, put_zeros, slow_get, slow_put, stopped_put
from support.dispatch_lab import (
    CLIENT,
    DELEGATES,
    FILTERS,
    SERVES,
    chunks,
    head,
    two_proxies,
)
from support.dispatch_signed import KEY, form, s3, temp_url

CONTENT = bytes(range(256)) * 1000      # 256,000 bytes
ETAG = hashlib.md5(CONTENT).hexdigest()
LARGE = 160 * MIB
CLIENT_TIMEOUT = 8              # seconds for which a proxy waits for 64 KiB
SLOW, TAKEN = 16000, 144000     # bytes a second, bytes
ODD = '/o%20%E4%BD%A0+%25%2F%2B~!'      # as a client may write it


@pytest.fixture(scope='module')
def proxies():
    """Two proxies, DELEGATES and SERVES, and containers: `read`, and `far`, `near` to write to."""
    result = two_proxies('dispatcher', filters=FILTERS, options={
        'DEFAULT:client_timeout': str(CLIENT_TIMEOUT)})
    try:
        for container in ('read', 'far', 'near'):
            result.put(f'/{container}', headers={'X-Container-Read': '.r:*,.rlistings'})
            result.put(f'/{container}/object', CONTENT, {'X-Object-Meta-Colour': 'b\xe9ige'})
        result.put('/read' + ODD, b'odd')
        result.ask('POST', result.base, headers={'X-Account-Meta-Temp-URL-Key': KEY})
        yield result
    finally:
        result.lab.down()


@pytest.fixture
def signed(proxies):
    """The fixture `proxies`, for tests that need tempauth; they are skipped if it does not run."""
    if not proxies.token:
        pytest.skip('no memcached, so no tempauth')
    return proxies


READS = {
    'object': ('GET', '/read/object', {}, 200),
    'head': ('HEAD', '/read/object', {}, 200),
    'odd name': ('GET', '/read' + ODD, {}, 200),
    'range': ('GET', '/read/object', {'Range': 'bytes=100-70000'}, 206),
    'suffix': ('GET', '/read/object', {'Range': 'bytes=-5'}, 206),
    'two ranges': ('GET', '/read/object', {'Range': 'bytes=0-4,10-12'}, 206),
    'no such range': ('GET', '/read/object', {'Range': 'bytes=256000-'}, 416),
    'head of a range': ('HEAD', '/read/object', {'Range': 'bytes=0-4'}, 200),
    'if none match': ('GET', '/read/object', {'If-None-Match': f'"{ETAG}"'}, 304),
    'if none match, another': ('GET', '/read/object', {'If-None-Match': '"other"'}, 200),
    'if match': ('GET', '/read/object', {'If-Match': '"other"'}, 412),
    'if modified': ('GET', '/read/object',
                    {'If-Modified-Since': 'Tue, 01 Jan 2188 00:00:00 GMT'}, 304),
    'if unmodified': ('GET', '/read/object',
                      {'If-Unmodified-Since': 'Wed, 01 Jan 2003 00:00:00 GMT'}, 412),
    'nothing there': ('GET', '/read/none', {}, 404),
    'no such container': ('GET', '/none/o', {}, 404),
    'listing': ('GET', '/read?format=json&prefix=o', {}, 200),
    'listing as text': ('GET', '/read', {}, 200),
    'listing as xml': ('GET', '/read?format=xml&limit=1', {'Accept': 'text/xml'}, 200),
    'container': ('HEAD', '/read', {}, 204),
    'preflight': ('OPTIONS', '/read/object', {'Origin': 'http://x',
                                         'Access-Control-Request-Method': 'GET'}, 401),
    'no such method': ('FROB', '/read/object', {}, 405),
}


@pytest.mark.parametrize('name', READS)
def test_delegated_reads_have_the_same_answer_as_local_reads(proxies, name):
    method, path, headers, status = READS[name]
    assert proxies.both(method, proxies.base + path, headers=headers).status == status


@pytest.mark.parametrize(('path', 'status'), [
    ('/info', 200), ('/v1/AUTH_test/read/object', 200), ('/v1/AUTH_test/far?x=%', 200),
    ('/v1/AUTH_test', 401), ('/v1/', 412), ('/nowhere', 404), ('/v1/AUTH_test/c/%00', 412)])
def test_delegated_reads_without_a_token_have_the_local_answer(signed, path, status):
    result = signed.both('GET', path, token=False)
    if status != 404:
        assert result.status == status


def test_both_proxies_log_a_delegated_requests_id_and_client(proxies):
    answer = proxies.ask('GET', proxies.base + '/read/object?mark=logged')
    [there] = proxies.seen(SERVES, 'mark%3Dlogged')
    [here] = proxies.seen(DELEGATES, 'mark%3Dlogged')
    assert here.trans_id == there.trans_id == answer.headers['x-trans-id']
    assert here.client == there.client == CLIENT
    assert ('LB', '-') == (here.source, there.source)
    assert '200' == here.status == there.status


WRITES = {
    'bytes': (b'0123456789' * 1000, {}, 201),
    'none': (b'', {}, 201),
    'ten megabytes': (b'0123456789' * 1000000, {}, 201),
    'another etag': (CONTENT, {'ETag': ETAG[::-1]}, 422),
    'only if new': (CONTENT, {'If-None-Match': '*'}, 412),
    'a bad date': (CONTENT, {'X-Delete-At': 'soon'}, 400),
    'a copy': (b'', {'X-Copy-From': '/read/object'}, 201),
    'a copy of nothing': (b'', {'X-Copy-From': '/read/none'}, 404),
    'a link to it': (b'', {'X-Object-Manifest': '{}/o'}, 201),
}


@pytest.mark.parametrize('name', WRITES)
def test_delegated_puts_have_the_same_result_as_local_puts(proxies, name):
    body, headers, status = WRITES[name]
    path = f'{proxies.base}/{{}}/{"object" if status == 412 else "w"}'
    assert status == proxies.both('PUT', path, body, headers).status
    if status == 201:
        proxies.both('GET', path)


@pytest.mark.parametrize('size', [0, 5, 7001, len(CONTENT)])
def test_delegated_puts_in_chunks_store_the_whole_body(proxies, size):
    results = [proxies.ask('PUT', f'{proxies.base}/{word}/w', chunks(CONTENT[:size], 7001),
                           proxy=proxy)
             for word, proxy in (('far', DELEGATES), ('near', SERVES))]
    assert [(201, hashlib.md5(CONTENT[:size]).hexdigest())] * 2 == [
        (each.status, each.headers['etag']) for each in results]
    assert CONTENT[:size] == proxies.both('GET', proxies.base + '/{}/w').body


def test_delegated_post_copy_and_delete_have_the_local_results(proxies):
    path = proxies.base + '/{}/gone'
    assert 201 == proxies.both('PUT', path, b'some', {'X-Object-Meta-A': '\xe9'}).status
    assert 202 == proxies.both('POST', path, headers={'X-Object-Meta-B': '1'}).status
    assert '1' == proxies.both('HEAD', path).headers['x-object-meta-b']
    assert 201 == proxies.both('COPY', path, headers={'Destination': '/{}/copied'}).status
    assert b'some' == proxies.both('GET', proxies.base + '/{}/copied').body
    assert 204 == proxies.both('DELETE', path).status
    assert 404 == proxies.both('DELETE', path).status
    assert 409 == proxies.both('DELETE', proxies.base + '/{}').status


def test_a_peer_writes_and_reads_static_large_objects(proxies):
    for number in range(3):
        proxies.both('PUT', f'{proxies.base}/{{}}/segment{number}', CONTENT)
    manifest = json.dumps([{'path': f'/{{}}/segment{number}', 'etag': ETAG}
                           for number in range(3)]).encode()
    whole, asked = proxies.base + '/{}/whole', '?multipart-manifest='
    assert 201 == proxies.both('PUT', f'{whole}{asked}put', manifest).status
    assert CONTENT * 3 == proxies.both('GET', whole).body
    assert CONTENT[-5:] + CONTENT[:5] == proxies.both(
        'GET', whole, headers={'Range': 'bytes=255995-256004'}).body
    assert 400 == proxies.both('PUT', f'{whole}{asked}put', b'{' * 70000).status
    assert json.loads(proxies.both('DELETE', f'{whole}{asked}delete', headers={
        'Accept': 'application/json'}).body)['Number Deleted'] == 4
    assert 404 == proxies.both('GET', whole).status


def test_a_peer_extracts_archives_and_deletes_in_bulk(proxies):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode='w') as tar:
        for number in range(5):
            member = tarfile.TarInfo(f'in/{number}')
            member.size = 50000
            tar.addfile(member, io.BytesIO(bytes(50000)))
    json_please = {'Accept': 'application/json'}
    result = proxies.both('PUT', proxies.base + '/{}?extract-archive=tar', archive.getvalue(),
                          json_please)
    assert json.loads(result.body)['Number Files Created'] == 5
    names = ''.join(f'/{{}}/in/{number}\n' for number in range(6)).encode()
    result = proxies.both('POST', proxies.base + '?bulk-delete&of={}', names,
                          json_please | {'Content-Type': 'text/plain'})
    assert [5, 1] == [
        json.loads(result.body)[f'Number {what}'] for what in ('Deleted', 'Not Found')]


def test_a_peer_checks_temporary_urls_by_the_clients_address(signed):
    path = signed.base + '/read/object'
    for ip_range, status in ((None, 200), (CLIENT, 200), ('127.0.0.78', 401)):
        assert status == signed.both('GET', temp_url('GET', path, ip_range), token=False).status
    assert 401 == signed.both('PUT', temp_url('GET', path), b'x', token=False).status
    result = signed.ask('PUT', temp_url('PUT', signed.base + '/far/up'), CONTENT, token=False)
    assert 201 == result.status


def test_a_peer_accepts_uploads_by_formpost(signed):
    for word, proxy in (('far', DELEGATES), ('near', SERVES)):
        path = f'{signed.base}/{word}/form-'
        result = signed.ask('POST', path, *form(path, {'a': b'1', 'b': CONTENT}), proxy, False)
        assert result.status == 201
    assert CONTENT == signed.both('GET', signed.base + '/{}/form-b').body


def test_a_peer_serves_static_web_pages(proxies):
    for container in ('far', 'near'):
        proxies.ask('POST', f'{proxies.base}/{container}', headers={
            'X-Container-Meta-Web-Index': 'object', 'X-Container-Meta-Web-Listings': 'true'})
    assert CONTENT == proxies.both('GET', proxies.base + '/{}/', token=False).body
    assert 301 == proxies.both('GET', proxies.base + '/{}', token=False).status


def test_a_peer_serves_s3_requests(signed):
    def ask(method, path, body=b'', query='', proxy=DELEGATES):
        return signed.ask(method, path + (query and f'?{query}'), body or None,
                          s3(method, path, body, query), proxy, token=False)
    for word, proxy in (('far', DELEGATES), ('near', SERVES)):
        bucket = f'/bucket-{word}'
        assert 200 == ask('PUT', bucket, proxy=proxy).status
        assert 200 == ask('PUT', f'{bucket}/key', CONTENT, proxy=proxy).status
        result = ask('GET', f'{bucket}/key', proxy=proxy)
        assert (200, CONTENT, f'"{ETAG}"') == (result.status, result.body, result.headers['etag'])
        assert re.search(b'<Key>key</Key>', ask('GET', bucket, query='max-keys=5',
                                                proxy=proxy).body)
        started = ask('POST', f'{bucket}/parts', query='uploads=', proxy=proxy)
        upload = re.search('<UploadId>(.*)</UploadId>', started.body.decode())[1]
        part = ask('PUT', f'{bucket}/parts', CONTENT, f'partNumber=1&uploadId={upload}', proxy)
        assert (200, f'"{ETAG}"') == (part.status, part.headers['etag'])
        end = (f'<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{ETAG}</ETag>'
               '</Part></CompleteMultipartUpload>').encode()
        assert 200 == ask('POST', f'{bucket}/parts', end, f'uploadId={upload}', proxy).status
        assert CONTENT == ask('GET', f'{bucket}/parts', proxy=proxy).body
        assert 403 == signed.ask('GET', f'{bucket}/key', headers=s3('GET', '/other'), proxy=proxy,
                                 token=False).status
        assert 204 == ask('DELETE', f'{bucket}/key', proxy=proxy).status


# 100-continue

def test_the_client_gets_100_continue_once_the_peer_sends_it(proxies):
    auth = [f'X-Auth-Token: {proxies.token}'] if proxies.token else []
    with proxies.wire() as wire:
        proxies.lab.handicap(proxy=SERVES, hang=True)
        wire.send(head('PUT', proxies.base + '/far/expected', 'Content-Length: 5',
                       'Expect: 100-continue', *auth))
        assert wire.is_quiet(0.7)
        proxies.lab.handicap(proxy=SERVES, clear=True)
        assert 100 == wire.head()[0]
        assert wire.is_quiet(0.2)
        wire.send(b'hello')
        assert 201 == wire.answer().status
    assert b'hello' == proxies.ask('GET', proxies.base + '/far/expected').body


EARLY = {       # (path, lines of the head, status), and not a byte of the body
    'no token': ('/v1/AUTH_test/far/e', ['Content-Length: 5'], 401),
    'no token, in chunks': ('/v1/AUTH_test/far/e', ['Transfer-Encoding: chunked'], 401),
    'too large': ('/v1/AUTH_test/far/e', ['Content-Length: 6000000000', 'token'], 413),
    'no container': ('/v1/AUTH_test/none/e', ['Content-Length: 5', 'token'], 404),
    'a bad date': ('/v1/AUTH_test/far/e', ['Content-Length: 5', 'X-Delete-At: x', 'token'], 400),
    'there already': ('/v1/AUTH_test/far/object',
                      ['Content-Length: 5', 'If-None-Match: *', 'token'], 412),
}


@pytest.mark.parametrize('expect', [['Expect: 100-continue'], []], ids=['expects', 'sends'])
@pytest.mark.parametrize('name', EARLY)
def test_a_peers_refusal_comes_before_the_client_sends_the_body(signed, name, expect):
    path, lines, status = EARLY[name]
    lines = [f'X-Auth-Token: {signed.token}' if line == 'token' else line for line in lines]
    if not expect and name == 'there already':
        pytest.skip('storage nodes refuse this, and Swift asks them once it has the body')
    results = []
    for proxy in (DELEGATES, SERVES):
        with signed.wire(proxy) as wire:
            wire.send(head('PUT', path, *lines, *expect))
            results.append(wire.head()[0])
    assert results == [status, status]


def test_a_delegated_put_without_expect_gets_no_100_continue(signed):
    with signed.wire() as wire:
        wire.send(head('PUT', signed.base + '/far/e', f'X-Auth-Token: {signed.token}',
                       'Content-Length: 5'), b'hello')
        assert 201 == wire.head()[0]


def test_a_delegated_put_stores_nothing_if_its_client_leaves(signed):
    with signed.wire() as wire:
        wire.send(head('PUT', signed.base + '/far/half', f'X-Auth-Token: {signed.token}',
                       'Content-Length: 100000'), bytes(50000))
    [there] = signed.seen(SERVES, '/far/half')
    [here] = signed.seen(DELEGATES, '/far/half')
    assert '499' == here.status == there.status
    assert 404 == signed.ask('GET', signed.base + '/far/half').status


# Slow clients, and constant memory

@pytest.fixture(scope='module')
def slow(proxies):
    """{name: Future of a client that is slower than a proxy's timeout, or that stops sending}."""
    with ThreadPoolExecutor() as clients:
        yield {
            'put': clients.submit(slow_put, proxies, '/far/slow', CONTENT[:TAKEN], SLOW),
            'chunks': clients.submit(slow_put, proxies, '/far/chunks', CONTENT[:TAKEN], SLOW, True),
            'get': clients.submit(slow_get, proxies, '/far/object', TAKEN, SLOW),
            **{proxy: clients.submit(stopped_put, proxies, proxy) for proxy in (DELEGATES, SERVES)}}


def test_delegating_a_40_mib_body_takes_less_than_20_mib_of_memory(proxies, slow):
    with peaks(proxies.lab) as grown:
        assert 201 == put_zeros(proxies, '/far/large', LARGE).status
    assert {'proxy-1', 'proxy-2'} == set(grown)
    assert max(grown.values()) < 20 * MIB, grown
    assert 204 == proxies.ask('DELETE', proxies.base + '/far/large').status


def test_slow_clients_of_a_delegated_request_outlast_the_timeout(proxies, slow):
    assert CONTENT[:TAKEN] == slow['get'].result(60)
    for name, path in (('put', 'slow'), ('chunks', 'chunks')):
        assert 201 == slow[name].result(60).status
        assert CONTENT[:TAKEN] == proxies.ask('GET', f'{proxies.base}/far/{path}').body


def test_a_client_that_stops_sending_gets_408_or_499(slow):
    """The status is 499 if the socket's timeout ends before Swift's client_timeout, else 408."""
    assert {slow[proxy].result(60).status for proxy in (DELEGATES, SERVES)} <= {408, 499}
