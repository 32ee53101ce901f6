"""Processes that hang are ended: real ones, which beat or do not."""
import os
import signal

from support.cluster import eventually

from swift_lb.clock import sleep
from swift_lb.service.dns.heartbeats import LONGEST, Heartbeats


def child(heartbeats, place):
    """Return the pid of a process that has beaten once, at the instant 100."""
    pid = os.fork()
    if not pid:
        heartbeats.beat(place, 100.0)
        signal.pause()
    while pid not in [one for one, _at in heartbeats._beats()]:
        sleep(0.01)
    return pid


def has_ended(pid):
    """Return whether a child ends, however busy the machine."""
    return eventually(lambda: os.waitpid(pid, os.WNOHANG)[0])


def test_who_is_silent_for_too_long_is_ended_once_and_others_are_not():
    heartbeats = Heartbeats(2)
    hung, well = child(heartbeats, 0), child(heartbeats, 1)
    try:
        assert [] == heartbeats.end_silent(100.0 + LONGEST)
        heartbeats._clear([well])
        assert [hung] == heartbeats.end_silent(100.1 + LONGEST)
        assert [] == heartbeats.end_silent(200.0 + LONGEST)
        assert has_ended(hung)
    finally:
        os.kill(well, signal.SIGKILL)
        os.waitpid(well, 0)


def test_who_is_left_is_buried_when_he_has_ended_and_not_ended_by_us():
    heartbeats = Heartbeats(1)
    pid = child(heartbeats, 0)
    heartbeats.leave()
    assert [] == heartbeats.end_silent(1e9)
    heartbeats.bury()
    os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: heartbeats.bury() or not os.path.exists(f'/proc/{pid}'))


def test_a_process_that_has_not_begun_is_not_missed():
    assert [] == Heartbeats(3).end_silent(1e9)
