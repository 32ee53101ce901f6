"""Requests served by this proxy: it learns their times, without its waits for the client."""
import io
from weakref import WeakSet

import pytest
from support.client_env import env_of

from swift_lb.dispatch.content import LARGE_FROM
from swift_lb.proxy.dispatch.local import FIRST, Served

WORK, WAIT = 0.25, 3.0      # seconds: of this proxy, of a client between two pieces


class RecordedCurve:
    """Stands for the curve of response times by requests in flight; keeps what it is told."""

    def __init__(self):
        self.added = []

    def add(self, in_flight, seconds, now):
        """Append (in_flight, seconds) to `added`."""
        self.added.append((in_flight, seconds))

    def came(self, now):
        """Keep the instant `now` as `last`."""
        self.last = now

    def expected(self, in_flight, now):
        """Return 0.5, in seconds, or None before a time was added."""
        return 0.5 if self.added else None

    def step(self, in_flight, now):
        """Return 0.1: so many seconds does one more request in flight add."""
        return 0.1


class SlowBody(io.BytesIO):
    """The body of a request; each read of it moves the clock [seconds] by WAIT."""

    def __init__(self, now, body):
        super().__init__(body)
        self._now = now

    def read(self, *size):
        """Read after WAIT seconds."""
        self._now[0] += WAIT
        return super().read(*size)

    def readline(self, *size):
        """Read after WAIT seconds."""
        self._now[0] += WAIT
        return super().readline(*size)

    def get_socket(self):
        """Return a mark; the body objects of Swift's WSGI server have this method too."""
        return 'socket'


class Here:
    """A Served in virtual time, before an app that reads the whole body and then takes WORK s."""

    def __init__(self):
        self.now, self.faults, self.curve = [0.0], [], RecordedCurve()
        self.served = Served(self.curve, self, lambda: self.now[0], self.faults.append)
        self.shown, self.status = [], '200 OK'
        for _time in range(FIRST):
            self.served.serve(self.app, env_of(), lambda *_told: None)
        self.before = [*self.curve.added]

    def add(self, in_flight, seconds, now):
        """Append the (in_flight, seconds) that Served shows its Shedder to `shown`."""
        self.shown.append((in_flight, seconds))

    def app(self, env, start_response):
        """Read the body by readline() and read(), take WORK seconds, and answer `status`."""
        env['wsgi.input'].readline(2)
        while env['wsgi.input'].read(4):
            pass
        self.now[0] += WORK
        start_response(self.status, [])
        return []

    def ask(self, env, **how):
        """Serve the request `env`; return the headers of its answer as a dict."""
        sent = []
        self.served.serve(self.app, env, lambda status, headers, *_exc: sent.append(headers), **how)
        assert self.faults == []
        return dict(sent[0])

    def slow(self, method, body, **how):
        """Return the environment of a request whose body is a SlowBody."""
        return env_of(method, body=body, **how) | {'wsgi.input': SlowBody(self.now, body)}


@pytest.fixture
def here():
    """Return a Here that has already served the FIRST requests, which teach it nothing."""
    return Here()


def test_a_new_worker_learns_no_times_from_its_first_requests(here):
    assert [] == here.before
    here.ask(env_of('GET'))
    assert [(0, WORK)] == here.curve.added


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'DELETE', 'POST', 'COPY', 'PUT'])
def test_times_of_requests_without_a_body_are_learned(here, method):
    here.ask(env_of(method))
    assert [(0, WORK)] == here.curve.added == here.shown


def test_times_of_failed_and_refused_requests_are_not_learned(here):
    for here.status in ('500 Internal Error', '503 Service Unavailable', '507 Full',
                        '401 Unauthorized', '429 Slow Down', '499 Client Disconnect'):
        here.now[0] += 1
        here.ask(env_of('GET'))
    assert [] == here.curve.added == here.shown
    assert here.curve.last == here.now[0] - WORK        # the arrival counts
    here.status = '404 Not Found'
    here.ask(env_of('GET'))
    assert [(0, WORK)] == here.curve.added


@pytest.mark.parametrize('query', [
    'extract-archive=tar', 'bulk-delete', 'multipart-manifest=delete',
    'multipart-manifest=put&heartbeat=on'])
def test_times_of_bulk_and_heartbeat_requests_are_not_learned(here, query):
    here.ask(here.slow('POST', b'0123', query=query))
    assert [] == here.curve.added


PART = {'QUERY_STRING': 'lb_region=0,0,512,512', 'PATH_INFO': '/v1/a/c/o'}


def test_times_of_parts_of_images_are_not_learned(here):
    before = here.curve.last
    here.now[0] += 1
    here.ask(env_of('GET') | PART)
    assert ([], before) == (here.curve.added, here.curve.last)      # nor do they count as arrivals
    here.ask(env_of('GET') | PART | {'QUERY_STRING': 'x=lb_region'})
    assert [(0, WORK)] == here.curve.added


def test_parts_of_images_are_counted_apart_until_their_bodies_end(here):
    counted, seen = WeakSet(), []

    class Count:
        def __init__(self, now):
            counted.add(self)

    def app(env, start_response):
        seen.append((here.served.in_flight(), len(counted)))
        start_response('200 OK', [])
        return iter([b'part'])
    here.served.begin_part = Count
    bodies = [here.served.serve(app, env, lambda *_told: None)
              for env in (env_of('GET') | PART, env_of('GET'))]
    assert [(0, 1), (1, 1)] == seen
    for body, left in zip(bodies, ((1, 0), (0, 0)), strict=True):
        assert [b'part'] == list(body)
        assert left == (here.served.in_flight(), len(counted))


def test_the_time_of_a_part_of_an_image_is_not_told_as_that_of_other_requests(here):
    assert 'X-Lb-Load' not in here.ask(env_of('GET') | PART, for_peer=True)
    here.ask(env_of('GET'))
    load = here.ask(env_of('GET') | PART, for_peer=True)['X-Lb-Load']
    assert f'in_flight=0 expected=0.500000 step=0.100000 took={WORK:.6f}' == load


def test_learned_times_leave_out_waits_for_the_clients_body(here):
    here.ask(here.slow('PUT', b'0123456789'))
    assert here.now[0] > 4 * WAIT
    assert [(0, pytest.approx(WORK))] == here.curve.added


def test_times_of_large_or_unsized_uploads_are_not_learned(here):
    here.ask(here.slow('PUT', b'0123', chunked=True))
    here.ask(env_of('PUT', body=b'') | {'CONTENT_LENGTH': str(LARGE_FROM)})
    assert [] == here.curve.added


def test_in_x_lb_load_only_took_includes_waits_for_the_body(here):
    load = here.ask(here.slow('PUT', b'0123', chunked=True), for_peer=True)['X-Lb-Load']
    assert 'step=0.000000' in load
    first = here.ask(here.slow('PUT', b'0123'), for_peer=True)['X-Lb-Load']
    assert 'expected=0.500000 step=0.100000' in first
    assert f'took={3 * WAIT + WORK:.6f}' in first


def test_learned_times_leave_out_failed_reads_of_the_body(here):
    class Broken(SlowBody):
        def read(self, *size):
            super().read(*size)
            raise OSError('gone')

    def app(env, start_response):
        assert 'socket' == env['wsgi.input'].get_socket()       # other attributes stay
        with pytest.raises(OSError, match='gone'):
            env['wsgi.input'].read()
        here.now[0] += WORK
        start_response('422 Unprocessable Entity', [])
        return []
    env = env_of('PUT', body=b'0123') | {'wsgi.input': Broken(here.now, b'0123')}
    here.served.serve(app, env, lambda *_told: None)
    assert [(0, pytest.approx(WORK))] == here.curve.added
