"""The filter lb_handicap: the requests that it slows or fails; its own errors harm none."""
import json
import socket
import time
from unittest.mock import Mock

import pytest

from swift_lb.concurrency import sleep, spawn
from swift_lb.lab import handicap, rules_file
from swift_lb.lab.change import EMPTY
from swift_lb.load import table
from swift_lb.load.request_table import RequestCounts

OBJECT = '/sd0/12/AUTH_test/c/a/b'


class Input:
    """A request's WSGI input; its socket is one end of a real TCP connection."""

    def __init__(self):
        with socket.create_server(('127.0.0.1', 0)) as listener:
            self.client = socket.create_connection(listener.getsockname())
            self._server, _address = listener.accept()

    def get_socket(self):
        return self._server


class HandicapBench:
    """The filter lb_handicap before an app that answers 200 and `body` at once."""

    def __init__(self, path, **conf):
        self.path, self.log = path, Mock()
        self.set()
        self.filter = handicap.Handicap(self.app, {'rules': str(path)} | conf, self.log)
        self.body = [b'x' * 100, b'y' * 100]

    def app(self, _env, start_response):
        start_response('200 OK', [])
        return self.body

    def set(self, **document):
        rules_file.write(self.path, EMPTY | document)
        sleep(rules_file.CHECK_INTERVAL)

    def ask(self, method='GET', path=OBJECT, wsgi_input=None):
        env = {'REQUEST_METHOD': method, 'PATH_INFO': path, 'wsgi.input': wsgi_input or Input()}
        messages = []
        body = b''.join(self.filter(env, lambda status, _headers: messages.append(status)))
        return int(messages[0].split()[0]), body

    def counts(self):
        return json.loads(self.ask(path='/lb_handicap')[1])['devices'].get('sd0')


@pytest.fixture
def bench(tmp_path):
    return HandicapBench(tmp_path / 'rules.json', node='1')


@pytest.fixture
def proxy(tmp_path):
    """Return a HandicapBench whose filter stands before a proxy, not an object server."""
    return HandicapBench(tmp_path / 'rules.json', proxy='1')


@pytest.mark.parametrize(('method', 'path'), [
    ('GET', '/healthcheck'), ('GET', '/recon/load'), ('REPLICATE', '/sd0/12/abc'),
    ('SSYNC', '/sd0/12'), ('REPLICATE', OBJECT), ('GET', '/sd0/12/AUTH_test/c'),
    ('GET', '//1/a/c/o')])
def test_a_nodes_rules_apply_to_requests_for_objects_only(bench, method, path):
    bench.set(node={'fail': '1'})
    assert bench.ask(method, path)[0] == 200


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'])
def test_the_rule_fail_answers_with_the_configured_error_status(bench, method):
    bench.set(node={'fail': '1', 'status': '507'})
    assert bench.ask(method) == (507, b'')
    assert bench.counts()['failed'] == 1


def test_the_same_seed_fails_the_same_requests_again(bench):
    def statuses():
        bench.set()
        bench.ask()    # so that the filter applies the rules again
        bench.set(node={'fail': '30%'})
        return [bench.ask('HEAD')[0] for _ in range(200)]
    first = statuses()
    assert 30 < first.count(503) < 90
    assert statuses() == first


def test_a_rule_with_methods_applies_to_these_methods_only(bench):
    bench.set(node={'fail': '1', 'methods': 'PUT'})
    assert (bench.ask('GET')[0], bench.ask('PUT')[0]) == (200, 503)


def test_delayed_requests_count_as_in_service_or_as_queued(bench):
    bench.set(devices={'sd0': {'mean': '100ms', 'dist': 'constant'}})
    began = time.monotonic()
    done = [spawn(bench.ask) for _ in range(3)]
    sleep(0)                     # they come, and wait
    assert bench.counts() | {'by_method': {}} == {
        'served': 0, 'failed': 0, 'gone': 0, 'in_service': 1, 'queued': 2, 'hanging': 0,
        'by_method': {}}
    assert [one.wait()[0] for one in done] == [200] * 3
    assert 0.3 <= time.monotonic() - began
    assert bench.counts()['by_method'] == {'GET': 3}


@pytest.mark.parametrize('rule', [{'hang': 'yes'}, {'mean': '60s', 'dist': 'constant'}])
def test_clearing_the_rules_releases_all_waiting_requests(bench, rule):
    bench.set(node=rule)
    done = [spawn(bench.ask) for _ in range(3)]
    sleep(0.1)
    assert bench.counts()['served'] == 0
    began = time.monotonic()
    bench.set()
    assert [one.wait()[0] for one in done] == [200] * 3
    assert time.monotonic() - began < 60      # and not three times 60


@pytest.mark.parametrize('rule', [{'hang': 'yes'}, {'mean': '60s', 'dist': 'constant'}])
def test_a_waiting_request_ends_with_499_if_its_client_leaves(bench, rule):
    bench.set(node=rule)
    first, second = Input(), Input()
    spawn(bench.ask, wsgi_input=first)
    sleep(0)
    leaving = spawn(bench.ask, wsgi_input=second)
    sleep(0.05)
    second.client.close()
    assert leaving.wait()[0] == 499
    counts = bench.counts()
    assert (counts['gone'], counts['queued'], counts['in_service'] + counts['hanging']) == (1, 0, 1)
    bench.set()


def test_the_rule_slow_stream_limits_the_rate_of_a_body(bench):
    bench.set(node={'slow_stream': '1000'})
    began = time.monotonic()
    assert bench.ask() == (200, b''.join(bench.body))
    assert 0.2 <= time.monotonic() - began


def test_the_rule_cut_breaks_off_bodies_after_a_number_of_bytes(bench):
    bench.set(node={'cut': '150'})
    wire = Input()
    assert bench.ask(wsgi_input=wire) == (200, b'x' * 100 + b'y' * 50)
    assert wire.client.recv(1) == b''
    bench.set(node={'cut': '200'})
    assert len(bench.ask()[1]) == 200


def test_the_response_body_is_closed_even_if_never_read(bench):
    closed = []

    class Body(list):
        def close(self):
            closed.append(True)
    bench.set(node={'cut': '150'})
    bench.body = Body([b'x'])
    bench.filter({'REQUEST_METHOD': 'GET', 'PATH_INFO': OBJECT, 'wsgi.input': Input()},
                 lambda *_args: None).close()
    assert closed == [True]


def test_requests_pass_if_the_filter_has_an_error(bench, monkeypatch):
    def broken(*_args):
        raise KeyError('bug')
    monkeypatch.setattr(handicap.Gate, 'admit', broken)
    monkeypatch.setattr(handicap.Gate, 'shape', broken)
    assert [bench.ask()[0] for _ in range(3)] == [200] * 3
    assert len(bench.log.method_calls) == 1


def test_rules_stay_if_their_file_becomes_corrupt(bench):
    bench.set(node={'fail': '1'})
    assert bench.ask()[0] == 503
    bench.path.write_text('{')
    sleep(rules_file.CHECK_INTERVAL)
    assert bench.ask()[0] == 503
    assert len(bench.log.method_calls) == 1


@pytest.mark.parametrize(('paths', 'status'), [
    (['/healthcheck', '/info', '/auth/v1.0', '/lb/status', '/v1'], 200),
    (['/v1/AUTH_test', '/v1/AUTH_test/c', '/v1/AUTH_test/c/a/b'], 503)])
def test_a_proxys_rules_apply_to_all_requests_below_v1_only(proxy, paths, status):
    proxy.set(node={'fail': '1'})
    assert {status} == {proxy.ask(method, path)[0] for path in paths
                        for method in ('GET', 'PUT', 'COPY', 'OPTIONS')}


class App:
    """Stands for swift-lb's proxy app: its book counts the requests in flight."""

    def __init__(self):
        self.begun = 0
        self.host_book = self
        empty = table.header(b'boot' * 4, 8, 4).ljust(table.size(8, 4), b'\0')
        self.requests = RequestCounts(table.Table(bytearray(empty)), 0)

    def begin(self):
        self.begun += 1


def test_a_request_delayed_by_a_handicap_counts_as_in_flight(proxy):
    proxy.filter._pipeline_final_app = app = App()
    proxy.set(node={'mean': '100ms', 'dist': 'constant'})
    done = [spawn(proxy.ask, 'GET', '/v1/AUTH_test') for _ in range(2)]
    sleep(0)
    counts = app.requests
    assert (counts.in_flight, counts.begun, counts.answered) == (2, 0, 0)
    assert [one.wait()[0] for one in done] == [200] * 2
    assert (counts.in_flight, counts.begun, counts.answered) == (0, 0, 0)
    assert 0.2 <= counts.seconds < 60       # 0.3, less the time from the first to the second


def test_delays_work_with_swifts_app_which_counts_no_requests(proxy):
    proxy.filter._pipeline_final_app = object()
    proxy.set(node={'mean': '1ms'})
    assert proxy.ask('GET', '/v1/AUTH_test')[0] == 200
    assert not proxy.log.method_calls
