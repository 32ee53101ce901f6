"""Processes are told by pid and start time, and ended with all that they have started."""
import os
import signal
import subprocess
import sys

import pytest

from swift_lb.clock import sleep
from swift_lb.lab import process

PARENT = '''
import os, signal, sys, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)   # a worker that does not want to end
print('ready', flush=True)
time.sleep(60)
'''


@pytest.fixture
def parent(tmp_path):
    script = tmp_path / 'parent.py'
    script.write_text(PARENT)
    born = process.spawn('p', 'p', [sys.executable, str(script)], tmp_path / 'out')
    while (tmp_path / 'out').read_text().count('ready') < 2:
        sleep(0.01)
    yield born
    process.stop([born], tmp_path, 0)


def test_stop_ends_the_children_too(parent, tmp_path):
    assert len(process.members([parent], tmp_path)) == 2
    assert process.stop([parent], tmp_path, 0.3) == ['p']
    assert process.members([parent], tmp_path) == set()
    assert process.stop([parent], tmp_path, 0.3) == []


def test_children_of_a_killed_parent_are_found_and_ended(parent, tmp_path):
    os.kill(parent.pid, signal.SIGKILL)
    while parent.alive:
        sleep(0.01)
    process.reap(parent.pid)
    assert len(process.members([parent], tmp_path)) == 1
    process.stop([parent], tmp_path, 0)
    assert process.members([parent], tmp_path) == set()


def test_another_process_with_the_same_pid_is_left_alone(tmp_path):
    other = subprocess.Popen(['sleep', '60'])
    try:
        started = process.start_time(other.pid)
        mistaken = process.Process('p', 'p', other.pid, started - 1, [])
        assert not mistaken.alive
        assert process.stop([mistaken], tmp_path, 0.2) == []
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_what_is_dead_but_not_reaped_is_not_alive():
    child = subprocess.Popen([sys.executable, '-c', ''])
    while process.start_time(child.pid) is not None:
        sleep(0.01)
    assert process.stat(child.pid).state == 'Z'
    child.wait()
    assert process.start_time(child.pid) is None
