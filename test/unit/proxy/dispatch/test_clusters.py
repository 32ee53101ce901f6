"""Reads of absent objects are fetched from another cluster, which is a ScriptedServer here."""
import pytest
from support.client_env import env_of
from support.cluster_proxy import KEY, ClusterProxy
from support.scripted_server import REPLY, ScriptedServer, always, keeping, once, read_head

from swift_lb import clock, clusters_file
from swift_lb.dispatch.clusters import LACKING
from swift_lb.dispatch.containers import ContainerFacts
from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch import cluster_reads, cluster_requests, clusters
from swift_lb.proxy.dispatch.cluster_requests import HEADER
from swift_lb.proxy.dispatch.held import HeldAnswer
from swift_lb.wire import hop

FORBIDDEN = b'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'
NONE = b'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
NOT_FOUND = '404 Not Found', {'Content-Length': '7'}, b'missing'


class Filtered(ClusterProxy):
    """A ClusterProxy whose app says that an object is absent."""

    def __init__(self, where):
        super().__init__(where)
        self.absent, self.status = True, '404 Not Found'
        self.headers, self.content = {}, b'missing'

    def app(self, env, start_response):
        # as a filter to the right may do
        env['PATH_INFO'] = clusters.container_of(env['PATH_INFO']) + '/changed'
        return super().app(env, start_response)


@pytest.fixture
def proxy(tmp_path, monkeypatch):
    """A Filtered proxy; every container is in the clusters ksu and ucsb."""
    monkeypatch.setattr(cluster_reads, 'container_facts',
                        lambda _env, _app: ContainerFacts(('ksu', 'ucsb')))
    return Filtered(tmp_path)


def test_an_absent_object_is_fetched_with_a_signed_marker_and_the_original_path(proxy):
    heads = []
    with ScriptedServer(keeping(heads)) as peer:
        proxy.know(peer)
        status, _headers, body = proxy.ask(env_of(query='a=b'))
        to = f'127.0.0.1:{peer.port}'
    assert (REPLY.split(b'\r\n')[0].decode(), REPLY.split(b'\r\n\r\n')[1]) == (
        f'HTTP/1.1 {status}', body)
    assert heads[0].startswith('GET /v1/a/c/o?a=b HTTP/1.1\r\n')
    text = next(line for line in heads[0].split('\r\n') if line.startswith(HEADER))
    marker = hop.decode((KEY,), text.partition(' ')[2], 'GET', '/v1/a/c/o?a=b',
                        cluster_requests.FOR)
    assert ('ksu', to) == (marker.sender, marker.to)
    assert 1 == proxy.counts['fetched ucsb absent']


@pytest.mark.parametrize('change', [
    {'absent': False}, {'absent': None}, {'status': '403 Forbidden'}, {'status': '200 OK'}])
def test_nothing_is_fetched_if_the_object_is_not_known_to_be_absent(proxy, change):
    for name, value in change.items():
        setattr(proxy, name, value)
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer)
        assert (proxy.status, *NOT_FOUND[1:]) == proxy.ask()
        assert not peer.connections


@pytest.mark.parametrize('env', [
    env_of() | {'HTTP_X_CONTAINER_SYNC_AUTH': 'realm nonce signature'},
    env_of() | {'CONTENT_LENGTH': '1'}, env_of(method='PUT'), env_of(path='/v1/a/c'),
    env_of(path='/v1/a'), env_of(path='/info')])
def test_only_reads_of_objects_are_fetched(proxy, env):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer)
        assert NOT_FOUND == proxy.ask(env)
        assert not peer.connections


def test_a_cluster_that_was_not_heard_lately_is_not_asked(proxy):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer, age=9.1)
        assert NOT_FOUND == proxy.ask()
        assert not peer.connections


@pytest.mark.parametrize(('script', 'why'), [
    (once(b''), 'unanswered'), (once(b'SSH-2.0-x\r\n\r\n'), 'unanswered'),
    (always(FORBIDDEN), '403')])
def test_the_client_gets_the_404_of_this_cluster_if_the_other_one_fails(proxy, script, why):
    with ScriptedServer(script) as peer:
        proxy.know(peer)
        assert NOT_FOUND == proxy.ask()
    assert 1 == proxy.counts[f'cluster_failures ucsb {why}']


def test_a_cluster_that_refused_credentials_is_not_asked_with_them_again(proxy):
    with ScriptedServer(always(FORBIDDEN)) as peer:
        proxy.know(peer)
        assert [NOT_FOUND] * 2 == [proxy.ask(), proxy.ask()]
        assert 1 == proxy.counts['cluster_failures ucsb 403']
        proxy.ask(env_of(path='/v1/a/another/o'))
        assert 2 == proxy.counts['cluster_failures ucsb 403']
        others = {'x_auth_token': 'AUTH_tk1'}, {'x_service_token': 'AUTH_tk1'}, {'referer': 'http://a.b'}
        for count, more in enumerate(others, 3):        # which the other cluster may accept
            proxy.ask(env_of(**more))
            assert count == proxy.counts['cluster_failures ucsb 403']


def test_an_object_that_another_cluster_does_not_have_is_not_asked_for_again_at_once(
        proxy, monkeypatch):
    now = clock.monotonic()
    with ScriptedServer(always(NONE)) as peer:
        proxy.know(peer)
        proxy.filter._clusters._clock = lambda: now
        assert [NOT_FOUND] * 2 == [proxy.ask(), proxy.ask(env_of('HEAD'))]
        assert 1 == proxy.counts['cluster_failures ucsb 404']
        proxy.ask(env_of(path='/v1/a/c/another'))
        assert 2 == proxy.counts['cluster_failures ucsb 404']
        proxy.filter._clusters._clock = lambda: now + LACKING
        proxy.ask()
        assert 3 == proxy.counts['cluster_failures ucsb 404']


def test_names_that_no_cluster_has_are_looked_for_within_a_budget(proxy):
    with ScriptedServer(always(NONE)) as peer:
        proxy.know(peer)
        proxy.filter._reads._elsewhere._clock = lambda: 1.0
        for number in range(20):
            proxy.ask(env_of(path=f'/v1/a/c/{number}'))
    counts = proxy.counts       # 10 a second, and a fifth of the reads
    assert (14, 6) == (counts['cluster_failures ucsb 404'], counts['cluster_failures ucsb budget'])


def test_objects_that_another_cluster_has_take_no_budget(proxy):
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer)
        proxy.filter._reads._elsewhere._clock = lambda: 1.0
        assert 20 == [proxy.ask()[0] for _read in range(20)].count('200 OK')


def test_a_proxy_that_did_not_answer_is_not_asked_again_at_once(proxy):
    with ScriptedServer(once(b'')) as peer:
        proxy.know(peer)
        assert [NOT_FOUND] * 2 == [proxy.ask(), proxy.ask()]
        assert 1 == peer.connections == proxy.counts['cluster_failures ucsb unanswered']


ODD = b'HTTP/1.1 200 OK\r\nX-Object-Meta-A b: c\r\nContent-Length: 5\r\n\r\nthere'


@pytest.mark.parametrize(('odd', 'why'), [
    (env_of() | {'headers_raw': (('Content_Length', '0'),)}, 'unsendable'),
    (env_of(path='/v1/a/c/odd'), 'unreadable')])
def test_a_request_or_answer_that_cannot_be_sent_on_is_no_fault_of_a_proxy(proxy, odd, why):
    def script(connection, _number):
        while head := read_head(connection):
            connection.sendall(ODD if b'/odd ' in head else REPLY)
    with ScriptedServer(script) as peer, ScriptedServer(script) as another:
        proxy.know(peer, another)
        assert NOT_FOUND == proxy.ask(odd)
        assert {f'cluster_failures ucsb {why}': 1} == proxy.counts
        assert '200 OK' == proxy.ask()[0]
        assert not another.connections


def test_a_body_of_another_cluster_that_breaks_off_is_counted_and_its_proxy_left_out(proxy):
    with ScriptedServer(once(REPLY[:-1])) as broken, ScriptedServer(always(REPLY)) as peer:
        proxy.know(broken, peer)
        with pytest.raises(PeerError):
            proxy.ask()
        assert 1 == proxy.counts['cluster_failures ucsb broken']
        assert '200 OK' == proxy.ask()[0]
        assert 1 == broken.connections


def test_a_marker_of_a_cluster_is_refused_by_a_host_that_has_none_since_a_peer_may_have(proxy):
    (proxy.where / 'lb.conf').write_text(f'[lb-agent]\nnode = me\nkey = {KEY.decode()}\n')
    assert '421 Misdirected Request' == proxy.ask(env_of() | {clusters.KEY: 'x'})[0]
    assert [] == proxy.served


def test_the_second_proxy_of_a_cluster_is_asked_if_the_first_does_not_answer(proxy):
    with ScriptedServer(once(b'')) as broken, ScriptedServer(always(REPLY)) as peer:
        proxy.know(broken, peer)
        assert '200 OK' == proxy.ask()[0]
    counts = proxy.counts
    assert 1 == counts['fetched ucsb absent'] == counts['cluster_failures ucsb unanswered']


def test_a_request_of_another_cluster_is_served_here_and_goes_no_further(proxy):
    env = env_of()
    marker = hop.Hop('ucsb', '192.0.2.1:8080', clock.wall(), '0' * 16, '203.0.113.9', '1', 'https',
                     'tx9', False)
    env |= {'SERVER_NAME': '192.0.2.1', 'SERVER_PORT': '8080',
            clusters.KEY: hop.encode(KEY, marker, 'GET', '/v1/a/c/o', cluster_requests.FOR)}
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer)
        assert ('404 Not Found', b'missing') == proxy.ask(env)[::2]
        assert not peer.connections
    assert ('203.0.113.9', 'https') == (env['REMOTE_ADDR'], env['wsgi.url_scheme'])
    assert 1 == proxy.filter._counts.counts['local cluster']


@pytest.mark.parametrize('text', ['', 'x', 'ucsb|a:1|1.0|' + '0' * 16 + '|c|1|http||0|' + 'a' * 64])
def test_an_invalid_marker_of_a_cluster_is_refused_since_it_could_make_a_loop(proxy, text):
    assert '421 Misdirected Request' == proxy.ask(env_of() | {clusters.KEY: text})[0]
    assert [] == proxy.served


def test_a_held_answer_is_sent_whole_however_the_app_starts_it():
    closed, sent = [], []

    class Late:
        def __iter__(self):
            self.start('200 OK', [('A', 'b')])
            yield from (b'a', b'b', b'c')

        def close(self):
            closed.append(self)

    def late(start):
        body = Late()
        body.start = start
        return body

    def at_once(start):
        start('200 OK', [])
        return [b'abc']

    def empty(start):
        start('200 OK', [])
        return iter(())
    def written(start):
        write = start('200 OK', [])
        write(b'a')
        return [b'bc']
    for app, expected in ((late, b'abc'), (at_once, b'abc'), (empty, b''), (written, b'abc')):
        held = HeldAnswer(app)
        assert '200 OK' == held.status
        assert not sent
        body = held.send(lambda *args: sent.append(args))
        assert expected == b''.join(body)
        assert 1 == len(sent)
        sent.clear()
        if hasattr(body, 'close'):
            body.close()
    assert 1 == len(closed)


def test_an_app_that_fails_after_its_first_piece_can_tell_the_server():
    def app(start):
        start('200 OK', [])

        def body():
            yield b'a'
            start('500 Internal Error', [], 'exc_info')
        return body()
    started = []
    held = HeldAnswer(app)
    assert b'a' == b''.join(held.send(lambda *args: started.append(args)))
    assert [('200 OK', []), ('500 Internal Error', [], 'exc_info')] == started


def test_the_body_of_an_app_that_fails_before_its_first_piece_is_closed():
    closed = []

    class Broken:
        def __iter__(self):
            return self

        def __next__(self):
            raise ValueError('of the app')

        def close(self):
            closed.append(self)
    with pytest.raises(ValueError, match='of the app'):
        HeldAnswer(lambda _start: Broken())
    assert 1 == len(closed)


def test_an_error_of_the_app_is_raised_while_its_answer_is_held(proxy):
    def broken(_env, _start):
        raise ValueError('of the app')
    proxy.filter.app = broken
    with ScriptedServer(always(REPLY)) as peer:
        proxy.know(peer)
        with pytest.raises(ValueError, match='of the app'):
            proxy.ask()


def test_what_is_known_of_clusters_is_kept_for_a_moment(proxy):
    proxy.know(url='http://one.example')
    now = [clock.monotonic()]
    others = clusters.OtherClusters(proxy.filter._identity.current, lambda: now[0])
    known = others.known()
    assert 'http://one.example' == others.summaries()['ucsb'].url
    proxy.know(url='http://two.example')
    assert known is others.known()
    now[0] += clusters_file.CHECK_INTERVAL + clusters.MOMENT
    assert 'http://two.example' == others.summaries()['ucsb'].url
    now[0] += 60.0
    assert {} == others.summaries()     # it is dead, and still known
    assert ['ucsb'] == [*others.known().others]
