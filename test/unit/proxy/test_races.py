"""concurrent_gets: who loses the race, and answers when another node is being read already."""
from threading import Event

import pytest
from support.fallbacks import flushed, ledger_of
from support.scripted_cluster import settles
from support.scripted_node import LONGEST
from support.stored_object import missing, stored
from swift.common.exceptions import ShortReadError
from unit.proxy.test_declining import busy, limits

from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep, spawn
from swift_lb.policy.weighted import Weighted

BODY = bytes(range(251)) * 800            # four chunks, and no part of it is like another
LATE = 0.3                                # seconds
RACING = {'concurrent_gets': 'true', 'concurrency_timeout': '0.05'}


def told(event, script):
    """Return a `script` that answers when the event is set."""
    def answer(request):
        event.wait(LONGEST)
        return script(request)
    return answer


def telling(event, script):
    """Return a `script` that sets the event when it is asked."""
    def answer(request):
        event.set()
        return script(request)
    return answer


def in_the_middle(made, gate):
    """Return (response, the first of its body, the rest) when node 1 has answered, being told."""
    response = made.open()
    chunks = iter(response.app_iter)
    first = next(chunks)
    sleep(LATE)
    gate.set()
    assert settles(lambda: not made.load(1).in_flight)
    return response, first, chunks


def test_who_answers_too_late_is_not_in_flight_while_the_client_reads_from_another(cluster):
    gate = Event()
    made = cluster(told(gate, stored(BODY)), *[stored(BODY)] * 2, request_node_count='2', **RACING)
    _response, first, chunks = in_the_middle(made, gate)
    assert [1, 1, 0] == made.asked()
    assert [0, 1, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    assert [0, 0, 0] == [made.load(number).queued for number in (1, 2, 3)]
    assert BODY == first + b''.join(chunks)


def test_who_answers_too_late_is_known_to_be_slow(cluster):
    gate, began = Event(), monotonic()
    made = cluster(told(gate, stored(BODY)), stored(BODY), stored(BODY), **RACING)
    _response, _first, _chunks = in_the_middle(made, gate)
    assert LATE <= made.load(1).first_byte_time <= monotonic() - began
    assert (0, 0, 0, 0, 0) == made.counts()[0]      # no success, for all that


def test_who_declines_too_late_is_not_asked_again(cluster, monkeypatch):
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    gate, third = Event(), Event()
    made = cluster(told(gate, busy(stored(BODY))), told(third, stored(BODY)),
                   telling(third, lambda _request: missing()), request_node_count='3', **RACING)
    ledger = ledger_of(made)
    _response, first, chunks = in_the_middle(made, gate)
    assert [['3'], ['3'], [None]] == limits(made)
    assert BODY == first + b''.join(chunks)
    assert {} == flushed(made, ledger)


def test_each_is_asked_with_its_own_limit_though_another_is_asked_meanwhile(cluster, monkeypatch):
    monkeypatch.setattr(Weighted, 'limits', lambda _self, order, _snapshot, _now: dict.fromkeys(
        order[:-1], 3.7), raising=False)
    third = Event()
    made = cluster(*[told(third, stored(BODY))] * 2, telling(third, stored(BODY)), **RACING)
    begin = made.app.recorder.begin

    def begins_late(*args):         # as where it fails and the log is a socket that is full
        read = begin(*args)
        sleep(LATE / 2)
        return read
    monkeypatch.setattr(made.app.recorder, 'begin', begins_late)
    assert (200, BODY) == made.ask()
    assert [['3'], ['3'], [None]] == limits(made)


def test_a_late_answer_is_none_to_a_read_that_is_resumed(cluster):
    """It begins with the first byte, and the client has that."""
    gate, gone = Event(), Event()

    def third(request):
        if 'range' in request.headers:      # the read is resumed, and the first answers meanwhile
            gate.set()
            gone.wait(LONGEST)
        return missing()

    def follow():
        seen = settles(gate.is_set) and settles(lambda: not made.load(1).in_flight)
        gone.set()
        return seen
    made = cluster(told(gate, stored(BODY)), stored(BODY, cut_after=70001), third, **RACING)
    following = spawn(follow)
    got = []
    with pytest.raises(ShortReadError):
        got.extend(made.open().app_iter)
    assert BODY[:70001] == b''.join(got)
    assert following.wait()
