"""concurrent_gets: a node that lost the race and answers while the winner is being read."""
from threading import Event

import pytest
from support.fallbacks import flushed, ledger_of
from support.proxy_app import set_clock
from support.scripted_cluster import settles
from support.scripted_node import LONGEST
from support.stored_object import missing, stored
from swift.common.exceptions import ShortReadError
from unit.proxy.test_declining import busy, limits
from unit.proxy.test_hedging import setting

from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep, spawn

BODY = bytes(range(251)) * 800            # four chunks, and no part of it is like another
LATE = 0.3                                # seconds
RACING = {'concurrent_gets': 'true', 'concurrency_timeout': '0.05'}


def in_the_middle(made, gate):
    """Begin a read and let node 1 answer, too late; return (response, first chunk, the others)."""
    response = made.open()
    chunks = iter(response.app_iter)
    first = next(chunks)
    set_clock(made.app, lambda: monotonic() + LATE)
    gate.set()
    assert settles(lambda: not made.load(1).in_flight)
    return response, first, chunks


def test_a_node_that_lost_a_race_is_recorded_as_slow(cluster):
    gate = Event()
    made = cluster(stored(BODY, head_delay=gate), *[stored(BODY)] * 2, **RACING,
                   request_node_count='2')
    _response, first, chunks = in_the_middle(made, gate)
    assert [0, 1, 0] == [made.load(number).in_flight for number in (1, 2, 3)]
    assert [0, 0, 0] == [made.load(number).queued for number in (1, 2, 3)]
    assert LATE <= made.load(1).first_byte_time
    assert BODY == first + b''.join(chunks)
    assert [(0, 0, 0, 0, 0), (4, 1, 0, 0, 0)] == made.counts()[:2]


def test_a_node_that_declines_after_a_race_is_not_asked_again(limited):
    gate, third = Event(), Event()
    made = limited(busy(stored(BODY), head_delay=gate), stored(BODY, head_delay=third),
                   setting(third, missing()), request_node_count='3', **RACING)
    ledger = ledger_of(made)
    _response, first, chunks = in_the_middle(made, gate)
    assert [['3'], ['3'], [None]] == limits(made)
    assert BODY == first + b''.join(chunks)
    assert {} == flushed(made, ledger)


def test_concurrent_requests_each_send_their_nodes_load_limit(limited, monkeypatch):
    third = Event()
    made = limited(*[stored(BODY, head_delay=third)] * 2, setting(third, stored(BODY)), **RACING)
    begin = made.app.recorder.begin

    def begins_late(*args):         # as where it fails and the log is a socket that is full
        read = begin(*args)
        sleep(LATE / 2)
        return read
    monkeypatch.setattr(made.app.recorder, 'begin', begins_late)
    assert (200, BODY) == made.ask()
    assert [['3'], ['3'], [None]] == limits(made)


def test_a_resumed_read_does_not_use_a_late_answer(cluster):
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
    made = cluster(stored(BODY, head_delay=gate), stored(BODY, cut_after=70001), third, **RACING)
    following = spawn(follow)
    got = []
    with pytest.raises(ShortReadError):
        got.extend(made.open().app_iter)
    assert BODY[:70001] == b''.join(got)
    assert following.wait()
