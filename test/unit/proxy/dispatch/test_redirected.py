"""How redirected reads end here: the seconds beyond those that were predicted."""
import fcntl
import socket
import struct
import termios
from contextlib import suppress
from types import MappingProxyType

import pytest
from support.client_env import env_of
from support.cluster_proxy import HERE, KEY

from swift_lb import clock
from swift_lb.model import REDIRECT, EndedRedirect, Route
from swift_lb.proxy.dispatch import clients
from swift_lb.proxy.dispatch.clients import seconds_left
from swift_lb.proxy.dispatch.redirected import RedirectedReads
from swift_lb.wire.redirect import ABSENT, LASTS, Origin, encode


class Clock:
    """A clock that stands at `now`."""

    now = 100.0

    def __call__(self):
        """Return the instant."""
        return self.now


def ended(origin, seconds, env=MappingProxyType({})):
    """Return what is told of the read of `env` from `origin`, an Origin, that takes `seconds`."""
    clock, told = Clock(), []
    reads = RedirectedReads(clock, lambda *one: told.append(one), None)
    at_end = reads.on_end(origin, env)
    assert not told
    clock.now += seconds
    at_end()
    return told


def test_a_read_that_takes_longer_than_predicted_gains_less_by_as_much():
    (cluster, one), = ended(Origin('us.ksu', '0' * 16, 0.25, 0.5, '0123abcd'), 0.75)
    assert ('us.ksu', EndedRedirect('0123abcd', 0.5, 0.0)) == (cluster, one)


def test_a_try_has_an_error_but_no_gain():
    assert [('us.ksu', EndedRedirect('0123abcd', -0.125, None))] == ended(
        Origin('us.ksu', '0' * 16, 0.25, None, '0123abcd'), 0.125)


def test_the_end_of_a_part_of_an_image_is_told_as_that_of_a_part():
    (_cluster, one), = ended(Origin('us.ksu', '0' * 16, 0.25, 0.5, '0123abcd'), 0.75,
                             env_of(query='lb_region=0,0,9,9'))
    assert EndedRedirect('0123abcd', 0.5, 0.0, True) == one


def test_nothing_is_told_of_a_read_of_which_nothing_was_predicted():
    assert RedirectedReads(Clock(), None, None).on_end(Origin('us.ksu', '0' * 16), {}) is None


def test_the_end_of_a_redirected_read_is_kept_for_the_cluster_it_came_from(make):
    proxy = make()
    proxy.know()
    value = encode(KEY, Origin('ucsb', ABSENT, 1000.0, 2000.0), clock.wall() + LASTS, '/v1/a/c/o')
    status, _headers, body = proxy.ask(env_of(query=f'lb_from={value}'))
    assert ('200 OK', HERE) == (status, body)
    (cluster, one), = proxy.filter._observer._ended
    assert ('ucsb', value.rpartition('.')[2][:8]) == (cluster, one.name)
    assert (pytest.approx(-1000.0, abs=60.0), pytest.approx(3000.0, abs=60.0), False) == one[1:]


def test_a_worker_learns_from_the_summaries_how_its_redirected_reads_have_ended(make):
    proxy = make()
    proxy.know(ended=(EndedRedirect('0123abcd', 0.5, 0.25),
                      EndedRedirect('0123abce', 3.0, -2.0, True)))
    for _second in range(3):
        proxy.filter._attend_clusters()
    router = proxy.filter._choice.router
    for gains, seen in ((router.gains, (1, 0.5, 0.5, 0.25)),
                        (router.part_gains, (1, 3.0, 3.0, -2.0))):
        assert seen == gains.figures(clock.monotonic())[Route('ucsb', REDIRECT)][:4]


def test_bytes_that_the_kernel_still_has_take_seconds_by_the_way_to_the_client(monkeypatch):
    with socket.create_server(('127.0.0.1', 0)) as server:
        client = socket.create_connection(server.getsockname())
        here, _address = server.accept()
    with client, here:
        here.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                here.send(bytes(65536))         # which the client does not read
        left, = struct.unpack('i', fcntl.ioctl(here, termios.TIOCOUTQ, bytes(4)))
        assert left > 0
        monkeypatch.setattr(clients, 'path_of', lambda _socket: (0.0, 2.5e6, 14_480.0, 1e5))
        assert seconds_left(here) == pytest.approx(left / 2.5e6)
        monkeypatch.setattr(clients, 'path_of', lambda _socket: None)
        assert seconds_left(here) == 0.0
