"""The counts of clients' requests in the host's book, through a real proxy application."""
import gc
import os

import pytest
from support.fallbacks import FallbackError, broken
from support.proxy_app import request, set_clock
from support.scripted_cluster import settles
from support.stored_object import everything, stored
from swift.common.swob import Request

from swift_lb.load.request_table import RequestCounts, Totals, totals
from swift_lb.proxy.requests import CountedRequest

BODY = bytes(range(256)) * 800            # 204,800 bytes: four chunks


@pytest.fixture
def counting(cluster, tmp_path):
    """Return a function like `cluster` whose proxy counts requests in a host's book."""
    def make(*nodes, **conf):
        return cluster(*(nodes or [stored(BODY)] * 3), lb_book=str(tmp_path / 'a.book'), **conf)
    return make


def counts(made):
    """Return (in_flight, begun, answered), the host's counts of clients' requests."""
    return totals(made.app.host_book._memory.buffer)[:3]


def fallbacks(made):
    """Return {part of swift-lb: how often it failed, so that Swift's own way was taken}."""
    return {labels[0]: n for (name, labels), n in made.app.recorder.metrics._counts.items()
            if name == 'fallbacks'}


def called(made, method='GET', start_response=lambda *_args, **_kwargs: None):
    """Return the iterable body that the application returns to its WSGI server."""
    return made.app(request(method=method).environ, start_response)


def test_a_get_is_in_flight_until_its_body_has_been_read(counting):
    made = counting()
    response = made.open()
    assert (1, 1, 1) == counts(made)
    assert BODY == response.body
    assert (0, 1, 1) == counts(made)


def test_the_time_of_a_request_ends_with_the_head_of_its_answer(counting):
    made = counting()
    now = [1000.0]
    set_clock(made.app, lambda: now[0])
    handle = made.app.handle_request

    def slowed(req):
        now[0] += 0.25
        return handle(req)
    made.app.handle_request = slowed
    for turn in (1, 2):
        response = made.open()
        now[0] += 60.0              # a client in no hurry to read
        assert BODY == response.body
        assert Totals(0, turn, turn, 0.25 * turn) == totals(made.app.host_book._memory.buffer)


@pytest.mark.parametrize('first', [0, 1, 2])
@pytest.mark.parametrize('leave', [lambda body: body.close(), lambda body: None])
def test_a_closed_or_dropped_body_ends_the_request(counting, first, leave):
    made = counting()
    body = called(made)
    pieces = iter(body)
    for _piece in range(first):
        next(pieces)
    assert (1, 1, 1) == counts(made)
    leave(body)
    del body, pieces
    assert settles(lambda: gc.collect() is not None and (0, 1, 1) == counts(made))
    assert {} == fallbacks(made)


def test_a_request_that_is_ended_twice_counts_once(counting):
    made = counting()
    body, other = called(made), called(made)
    assert BODY == b''.join(body)
    for _time in range(2):
        body.close()
    assert (1, 2, 2) == counts(made)
    other.close()
    assert (0, 2, 2) == counts(made)


@pytest.mark.parametrize(('method', 'answered'), [
    ('HEAD', 1), ('PUT', 0), ('POST', 0), ('DELETE', 0), ('OPTIONS', 0), ('NONSENSE', 0)])
def test_a_request_whose_answer_body_is_a_list_ends_at_once(counting, method, answered):
    made = counting()
    body = called(made, method)
    assert isinstance(body, list)
    assert (0, 1, answered) == counts(made)


@pytest.mark.parametrize('cut', [FallbackError, SystemExit])
def test_a_body_that_raises_ends_the_request(counting, monkeypatch, cut):
    made = counting()
    def pieces():
        yield b'a'
        raise cut
    monkeypatch.setattr(made.app, 'handle_request', lambda req: lambda env, start: pieces())
    body = called(made)
    assert b'a' == next(body)
    assert 1 == counts(made)[0]
    with pytest.raises(cut):
        next(body)
    assert (0, 1, 0) == counts(made)


def test_subrequests_of_the_proxy_are_counted(counting):
    made = counting(*[everything(BODY)] * 3)
    assert 200 == Request.blank('/v1/a/c/o').get_response(made.app).status_int
    in_flight, begun, answered = counts(made)
    assert (0, begun) == (in_flight, answered)
    assert begun > 1                # the container's properties, and the account's


@pytest.mark.parametrize('ends', [SystemExit, FallbackError])
def test_an_exception_of_the_app_ends_the_request(counting, monkeypatch, ends):
    made = counting()
    def cut(_req):
        raise ends
    monkeypatch.setattr(made.app, 'handle_request', cut)
    if ends is SystemExit:          # as GreenletExit, no Exception: Swift answers nothing
        with pytest.raises(SystemExit):
            called(made)
    else:
        assert [b'Internal server error.\n'] == called(made)
    assert (0, 1) == counts(made)[:2]


def test_a_second_call_of_start_response_counts_no_answer(counting, monkeypatch):
    made, calls = counting(), []

    def respond(_env, start_response):
        assert ['write', 'write'] == [start_response('200 OK', []),
                                      start_response('500 No', [], exc_info=(1, 2, 3))]
        return [b'x']

    def start_response(*args, **kwargs):
        calls.append((args, kwargs))
        return 'write'
    monkeypatch.setattr(made.app, 'handle_request', lambda req: respond)
    assert [b'x'] == called(made, start_response=start_response)
    assert [(('200 OK', []), {}), (('500 No', []), {'exc_info': (1, 2, 3)})] == calls
    assert (0, 1, 1) == counts(made)


def test_a_counted_body_has_the_attributes_of_the_apps_body(counting, monkeypatch):
    class Body:
        closed = 0

        def __iter__(self):
            return iter((b'a', b'b'))

        def app_iter_range(self, start, end):       # swob looks for it
            return start, end

        def close(self):
            self.closed += 1
    made, body = counting(), Body()
    monkeypatch.setattr(made.app, 'handle_request', lambda req: lambda env, start: body)
    counted = called(made)
    assert ([b'a', b'b'], [b'a', b'b'], (1, 2)) == (
        list(counted), list(counted), counted.app_iter_range(1, 2))
    assert (False, False) == (hasattr(counted, '__len__'), hasattr(counted, 'app_iter_ranges'))
    counted.close()
    assert 1 == body.closed


@pytest.mark.parametrize('conf', [{'lb_book': 'worker'}, {'lb_enabled': 'false'}, {}])
def test_without_a_shared_book_no_request_is_counted(cluster, tmp_path, conf):
    made = cluster(*[stored(BODY)] * 3, **conf)
    body = called(made)
    assert not type(body).__module__.startswith('swift_lb')
    assert BODY == b''.join(body)
    assert made.app.host_book.requests is made.app.host_book.describe() is None


def test_a_request_ends_in_the_book_that_it_began_in(counting, tmp_path):
    made = counting()
    response = made.open()
    before = made.app.host_book._memory.buffer
    os.unlink(tmp_path / 'a.book')
    made.app._attend()
    assert (0, 0, 0) == counts(made)
    assert BODY == response.body
    assert ((0, 1, 1), (0, 0, 0)) == (totals(before)[:3], counts(made))
    made.ask()
    assert (0, 1, 1) == counts(made)


def test_damaged_request_counts_in_the_book_are_repaired(counting):
    made = counting()
    response = made.open()
    words = made.app.host_book._table.requests(0, 1)[1]
    words[0], words[1] = 77, 77
    made.app._attend()
    assert (1, 1, 1) == counts(made)
    response.app_iter.close()


@pytest.mark.parametrize(('owner', 'name'), [
    (RequestCounts, 'begin'), (RequestCounts, 'head'), (RequestCounts, 'end'),
    (CountedRequest, '__init__')])
def test_a_failure_to_count_fails_no_request(counting, monkeypatch, owner, name):
    made = counting()
    with monkeypatch.context() as breakage:
        breakage.setattr(owner, name, broken)
        assert [(200, BODY)] * 3 == [made.ask() for _ in range(3)]
    assert {'requests': 3} == fallbacks(made)
    assert (200, BODY) == made.ask()
    assert {'requests': 3} == fallbacks(made)
