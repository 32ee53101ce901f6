"""The filter lb_report: what it counts, reports and declines, and that it fails no request."""
import configparser
import gc
from pathlib import Path

import pytest
from support.fallbacks import FallbackLedger, broken
from support.proxy_app import swift_dir
from swift.common.swob import Request
from swift.common.wsgi import ConfigFileError, loadapp
from swift.obj.server import EventletPlungerString

from swift_lb.clock import monotonic
from swift_lb.model import DeviceReport
from swift_lb.storage import load_report
from swift_lb.storage.device_table import DeviceTable
from swift_lb.storage.load_report import LoadReport
from swift_lb.wire.report import DECLINED, LOAD, decode

OBJECT = '/sd0/12/AUTH_test/c/a/b'
OBJECT_SERVER = """\
[DEFAULT]
swift_dir = {rings}
devices = {rings}/data
mount_check = false
log_level = CRITICAL
[pipeline:main]
pipeline = lb_report object-server
[filter:lb_report]
use = egg:swift-lb#lb_report
{options}
[app:object-server]
use = egg:swift#object
"""
SAMPLE = Path(__file__).resolve().parents[3] / 'etc' / 'object-server.conf-sample'


class Body:
    """A response body of `pieces` that calls `before` before each; `closed` counts close calls."""

    def __init__(self, pieces, before=lambda: None):
        self.pieces, self.before, self.closed = pieces, before, 0

    def __iter__(self):
        for piece in self.pieces:
            self.before()
            yield piece

    def close(self):
        self.closed += 1


class ReportAnswer:
    """The answer of the WSGI app `filtered` to one request; its body has not been read."""

    def __init__(self, filtered, method, path, headers, given):
        env = {'REQUEST_METHOD': method, 'PATH_INFO': path} | {
            f'HTTP_{name.upper()}': value for name, value in headers.items()}
        if given is not None:
            env['wsgi.input'] = given
        self.body = filtered(env, self._begin)

    def _begin(self, status, headers):
        self.status, self.headers = int(status.split()[0]), dict(headers)

    @property
    def load(self):
        return decode(self.headers.get(LOAD))


class ReportBench:
    """The filter lb_report before a scripted object server; only `wait` moves its clock."""

    def __init__(self, declining=True):
        self.now, self.log, self.asked = 100.0, FallbackLedger(), 0
        self.status, self.body, self.fault = '200 OK', None, None
        self.table = DeviceTable()
        self.filter = LoadReport(self.app, self.table, declining, self.log, lambda: self.now)

    def app(self, env, start_response):
        self.asked += 1
        if self.fault:
            raise self.fault
        start_response(self.status, [('X-Timestamp', '1')])
        return Body([b'x']) if self.body is None else self.body

    def open(self, method='GET', path=OBJECT, input=None, **headers):
        return ReportAnswer(self.filter, method, path, headers, input)

    def ask(self, *args, **headers):
        answer = self.open(*args, **headers)
        b''.join(answer.body)
        return answer

    def serve(self, seconds):
        """Serve one GET whose first byte comes after `seconds`."""
        self.body = Body([b'x'], lambda: self.wait(seconds))
        self.ask()
        self.body = None

    def wait(self, seconds):
        self.now += seconds

    def in_flight(self, device='sd0'):
        return self.table.in_flight(self.table.place_of(device, self.now))


@pytest.fixture
def bench():
    return ReportBench()


@pytest.mark.parametrize(('method', 'path'), [
    ('GET', '/healthcheck'), ('GET', '/recon/load'), ('REPLICATE', '/sd0/12/abc'),
    ('SSYNC', '/sd0/12'), ('REPLICATE', OBJECT), ('SSYNC', OBJECT), ('OPTIONS', OBJECT),
    ('GET', '/sd0/12/AUTH_test/c'), ('GET', '//1/a/c/o'), ('GET', '/'), ('GET', '')])
def test_requests_that_are_not_for_objects_pass_unchanged(bench, method, path):
    bench.serve(0.01)
    bench.body = Body([b'x'])
    answer = bench.open(method, path, x_backend_lb_limit='0')
    assert (200, {'X-Timestamp': '1'}) == (answer.status, answer.headers)
    assert answer.body is bench.body
    assert 0 == bench.in_flight()


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'])
def test_a_request_is_not_in_flight_while_its_client_receives(bench, method):
    during = []
    bench.body = Body([b'x', b'', b'y'], lambda: during.append(bench.in_flight()))
    answer = bench.open(method)
    assert 1 == bench.in_flight()              # the first byte is still to come
    for piece in answer.body:
        assert (piece, 0) == (bench.body.pieces[len(during) - 1], bench.in_flight())
    assert [1, 1, 1] == during
    assert 0 == bench.in_flight()
    answer.body.close()
    assert 0 == bench.in_flight()


class Upload:
    """The body of a PUT, wsgi.input; each read records how many requests the device has."""

    def __init__(self, in_flight, pieces=(b'x', b'y', b'')):
        self.in_flight, self.seen, self.pieces = in_flight, [], [*pieces]

    def read(self, *args, **kwargs):
        self.seen.append((self.in_flight(), args, kwargs))
        return self.pieces.pop(0)

    readline = read

    def send_hundred_continue_response(self):
        return 'a method of eventlet'


@pytest.fixture
def uploads(bench):
    """Let the server read uploads; return [its wsgi.input, in_flight between its reads ...]."""
    seen = []

    def receive(env, start_response):
        upload = env['wsgi.input']
        seen.append(upload)
        while upload.read(65536) and upload.readline(size=1):
            seen.append(bench.in_flight())
        start_response('201 Created', [])
        return [b'']
    bench.filter.app = receive
    return seen


def test_an_upload_is_not_in_flight_while_its_client_sends(bench, uploads):
    upload = Upload(bench.in_flight)
    bench.open('PUT', input=upload)
    assert [(0, (65536,), {}), (0, (), {'size': 1}), (0, (65536,), {})] == upload.seen
    followed, *seen = uploads
    assert ([1], 'a method of eventlet') == (seen, followed.send_hundred_continue_response())
    upload.pieces.append(b'')
    followed.read()                            # as a server may, to find the next request
    assert 0 == bench.in_flight()


def test_an_upload_that_fails_is_not_in_flight(bench, uploads):
    with pytest.raises(IndexError):
        bench.open('PUT', input=Upload(bench.in_flight, [b'x']))
    assert 0 == bench.in_flight()


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'POST', 'DELETE'])
def test_wsgi_input_is_replaced_for_a_put_only(bench, method):
    upload, inputs = Upload(bench.in_flight), []
    bench.filter.app = lambda env, _start_response: inputs.append(env['wsgi.input']) or []
    bench.open(method, input=upload)
    assert [upload] == inputs


@pytest.mark.parametrize('first', [0, 1])
def test_a_request_is_not_in_flight_after_its_body_is_closed(bench, first):
    bench.body = Body([b'x', b'y'])
    answer = bench.open()
    pieces = iter(answer.body)
    for _piece in range(first):
        next(pieces)
    answer.body.close()
    assert (0, 1) == (bench.in_flight(), bench.body.closed)


def test_a_body_that_is_dropped_or_fails_is_not_in_flight(bench):
    answer = bench.open()
    assert 1 == bench.in_flight()
    del answer
    gc.collect()
    assert 0 == bench.in_flight()
    bench.body = Body([b'x'], breaks)
    answer = bench.open()
    with pytest.raises(OSError, match='the disk'):
        list(answer.body)
    answer.body.close()
    assert 0 == bench.in_flight()


def breaks():
    raise OSError('the disk')


def test_a_request_answered_with_a_list_is_no_longer_in_flight(bench):
    bench.body = [b'all']
    answer = bench.open('PUT')
    assert answer.body is bench.body
    assert 0 == bench.in_flight()


@pytest.mark.parametrize('fault', [ValueError('x'), KeyboardInterrupt()])
def test_a_request_that_raises_is_not_in_flight(bench, fault):
    bench.fault = fault
    with pytest.raises(type(fault)):
        bench.open()
    assert 0 == bench.in_flight()


@pytest.mark.parametrize('method', ['GET', 'HEAD'])
def test_a_load_report_counts_all_other_requests_on_the_device(bench, method):
    assert bench.ask(method).load is None      # nothing has been served
    bench.serve(0.02)
    others = [bench.open('PUT'), bench.open(), bench.open('DELETE'),
              bench.open(path=OBJECT.replace('sd0', 'sd1'))]      # of another device
    answer = bench.open(method)
    assert (DeviceReport(3, 0.02), {'X-Timestamp', LOAD}) == (answer.load, set(answer.headers))
    for other in (*others, answer):
        other.body.close()
    assert DeviceReport(0, 0.02) == bench.open(method).load
    assert [None] * 3 == [bench.ask(write).load for write in ('PUT', 'POST', 'DELETE')]


def test_service_time_is_first_byte_time_over_queue_length(bench):
    bench.serve(0.02)
    ahead = [bench.open(), bench.open()]
    bench.serve(0.09)                          # three in a queue: 0.03 each
    assert 0.02 + 0.1 * (0.03 - 0.02) == pytest.approx(bench.ask('HEAD').load.service_time)
    del ahead


def test_only_bodies_of_objects_count_for_the_service_time(bench):
    bench.serve(0.02)
    bench.body = Body([b'', b'x', b'y'], lambda: bench.wait(0.01))
    bench.ask('HEAD')
    for bench.status in ('404 Not Found', '304 Not Modified', '503 Busy', '507 Gone'):
        bench.ask()
    bench.status = '200 OK'
    for method in ('PUT', 'POST', 'DELETE'):
        bench.ask(method)
    assert 0.02 == bench.ask('HEAD').load.service_time
    bench.status = '206 Partial'
    bench.ask()                                # its first byte comes after 0.02
    bench.body = Body([b'', b''], lambda: bench.wait(9))
    bench.ask()                                # and here there is none
    assert 0.02 == pytest.approx(bench.ask('HEAD').load.service_time)


def test_the_flush_before_a_splice_is_not_taken_for_a_first_byte(bench):
    bench.serve(0.02)
    bench.body = Body([EventletPlungerString(), b''])     # Swift's, with splice = yes
    bench.ask()
    assert 0.02 == bench.ask('HEAD').load.service_time


def test_a_read_is_declined_unserved_if_its_limit_is_exceeded(bench):
    others = [bench.open(), bench.open('PUT'), bench.open()]
    assert (429, None) == ((answer := bench.ask(x_backend_lb_limit='2')).status, answer.load)
    bench.table.served(bench.table.place_of('sd0', bench.now), 0.02, 0)
    asked = bench.asked
    answer = bench.open(x_backend_lb_limit='2')
    assert (429, [b''], asked) == (answer.status, answer.body, bench.asked)
    assert ('1', '0') == (answer.headers[DECLINED], answer.headers['Content-Length'])
    assert DeviceReport(3, 0.02) == answer.load
    assert 3 == bench.in_flight()
    assert 200 == bench.ask(x_backend_lb_limit='3').status
    assert [429, 200] == [bench.ask('HEAD', x_backend_lb_limit=limit).status for limit in '23']
    del others
    gc.collect()
    assert 200 == bench.ask(x_backend_lb_limit='0').status


@pytest.mark.parametrize(('method', 'limit'), [
    ('GET', None), ('GET', ''), ('GET', '-1'), ('GET', 'nan'), ('GET', '0.5'), ('GET', '9' * 99),
    ('HEAD', None), ('PUT', '0'), ('POST', '0'), ('DELETE', '0')])
def test_writes_and_reads_without_a_limit_are_not_declined(bench, method, limit):
    other = bench.open()
    headers = {} if limit is None else {'x_backend_lb_limit': limit}
    assert 200 == bench.ask(method, **headers).status
    other.body.close()


def test_declining_can_be_switched_off():
    bench = ReportBench(declining=False)
    _other = bench.open()
    assert 200 == bench.ask(x_backend_lb_limit='0').status


@pytest.mark.parametrize('name', ['place_of', 'begin', 'end', 'in_flight', 'served', 'report'])
def test_a_fault_of_the_filter_fails_no_request(bench, monkeypatch, name):
    bench.serve(0.02)
    with monkeypatch.context() as breakage:
        breakage.setattr(DeviceTable, name, broken)
        for _request in range(3):
            answer = bench.open(x_backend_lb_limit='5')
            assert (200, b'x') == (answer.status, b''.join(answer.body))
            answer.body.close()
    assert ['lb_report lets requests through untouched'] == bench.log.lines
    bench.serve(0.02)
    assert bench.ask().load is not None
    bench.filter._now = broken
    assert {'X-Timestamp': '1'} == bench.ask().headers


def test_all_filters_of_a_conf_share_a_device_table():
    made = [load_report.filter_factory({'__file__': path})(None)
            for path in ('one.conf', 'one.conf', 'other.conf')]
    assert made[0]._table is made[1]._table is not made[2]._table


def test_without_shared_memory_the_filter_is_bypassed(monkeypatch):
    monkeypatch.setattr(load_report, 'DeviceTable', breaks)
    app = object()
    assert app is load_report.filter_factory({'__file__': 'third.conf'})(app)


def test_a_real_object_server_sends_load_reports(tmp_path):
    rings = swift_dir(tmp_path)
    (tmp_path / 'data' / 'sd0').mkdir(parents=True)
    conf = tmp_path / 'object-server.conf'
    conf.write_text(OBJECT_SERVER.format(rings=rings, options='declining = true'))
    app = loadapp(str(conf))
    stamp = {'X-Timestamp': '1700000000.00000'}
    response = Request.blank(OBJECT, method='GET', headers=stamp).get_response(app)
    assert (404, None) == (response.status_int, response.headers.get(LOAD))
    app._table.served(app._table.place_of('sd0', monotonic()), 0.02, 0)
    response = Request.blank(OBJECT, method='HEAD', headers=stamp).get_response(app)
    assert (404, '1 0 0.020000') == (response.status_int, response.headers.get(LOAD))
    upload = Upload(lambda: app._table.in_flight(app._table.place_of('sd0', monotonic())),
                    [b'abc', b''])
    response = Request.blank(OBJECT, method='PUT', environ={'wsgi.input': upload}, headers={
        'X-Timestamp': '1700000001.00000', 'Content-Type': 'text/plain',
        'Content-Length': '3'}).get_response(app)
    assert (201, [0, 0]) == (response.status_int, [each[0] for each in upload.seen])
    response = Request.blank(OBJECT, method='GET', headers=stamp).get_response(app)
    assert (200, b'abc', '1 0 0.020000') == (
        response.status_int, response.body, response.headers.get(LOAD))
    conf.write_text(OBJECT_SERVER.format(rings=rings, options='declining = perhaps\nx = 1'))
    with pytest.raises(ConfigFileError) as refused:
        loadapp(str(conf))
    assert [f'{conf}, [filter:lb_report], declining = perhaps: must be true or false',
            f'{conf}, [filter:lb_report], x = 1: unknown option; the only one is declining'] == (
        str(refused.value).splitlines())


def test_the_conf_sample_has_lb_report_before_object_server():
    parser = configparser.ConfigParser()
    parser.read(SAMPLE)
    assert 'egg:swift-lb#lb_report' == parser['filter:lb_report']['use']
    pipeline = parser['pipeline:main']['pipeline'].split()
    assert ['lb_report', 'object-server'] == pipeline[-2:]
