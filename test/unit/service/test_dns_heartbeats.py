"""Processes of the DNS service that no longer beat are killed; the processes are real."""
import os
import signal
from types import SimpleNamespace

import pytest
from support.cluster import eventually

from swift_lb import clock
from swift_lb.clock import sleep
from swift_lb.service.dns.daemon import STARTING, LbDns
from swift_lb.service.dns.worker import BEAT, MAX_SILENCE, Heartbeats


def child(heartbeats, place):
    """Fork a process that beats once, at 100 s, in slot `place`; return its pid after that."""
    pid = os.fork()
    if not pid:
        heartbeats.beat(place, 100.0)
        signal.pause()
    while pid not in [one for one, _at in heartbeats._beats()]:
        sleep(0.01)
    return pid


def has_ended(pid):
    """Wait up to 60 s for a child process; return a true value if it has ended."""
    return eventually(lambda: os.waitpid(pid, os.WNOHANG)[0])


def test_a_process_that_no_longer_beats_is_killed_once():
    heartbeats = Heartbeats(2)
    hung, well = child(heartbeats, 0), child(heartbeats, 1)
    try:
        assert [] == heartbeats.end_silent(100.0 + MAX_SILENCE)
        heartbeats._clear([well])
        assert [hung] == heartbeats.end_silent(100.1 + MAX_SILENCE)
        assert [] == heartbeats.end_silent(200.0 + MAX_SILENCE)
        assert has_ended(hung)
    finally:
        os.kill(well, signal.SIGKILL)
        os.waitpid(well, 0)


def test_a_process_that_was_told_to_end_is_reaped_not_killed():
    heartbeats = Heartbeats(1)
    pid = child(heartbeats, 0)
    heartbeats.leave()
    assert [] == heartbeats.end_silent(1e9)
    heartbeats.bury()
    os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: heartbeats.bury() or not os.path.exists(f'/proc/{pid}'))


def test_a_process_that_has_not_started_yet_is_not_killed():
    assert [] == Heartbeats(3).end_silent(1e9)


@pytest.mark.parametrize(('role', 'number', 'place'), [
    ('udp', 1, 1), ('tcp', 0, 3), ('status', 0, 4), ('update', 0, 0)])
def test_a_process_that_hangs_while_it_starts_is_killed(monkeypatch, role, number, place):
    daemon = LbDns.__new__(LbDns)
    daemon.options, daemon._heartbeats = SimpleNamespace(workers=3), Heartbeats(5)
    monkeypatch.setattr('gc.freeze', lambda: signal.pause())
    before = clock.monotonic()
    pid = os.fork()
    if not pid:
        daemon.run_forever(role, number)
    assert eventually(lambda: daemon._heartbeats._beats())
    assert BEAT.unpack_from(daemon._heartbeats._memory, BEAT.size * place)[0] == pid
    assert [] == daemon._heartbeats.end_silent(before + STARTING + MAX_SILENCE)
    assert [pid] == daemon._heartbeats.end_silent(1e12)
    assert has_ended(pid)
