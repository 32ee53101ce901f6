"""Processes are identified by pid and start time, and ended with all their descendants."""
import os
import signal
import subprocess
import sys

import pytest
from support.cluster import eventually

from swift_lb.errors import LabError
from swift_lb.lab import process

PARENT = '''
import os, signal, sys, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)   # a worker that ignores SIGTERM
print('ready', flush=True)
time.sleep(60)
'''


def stop(processes, directory, grace):
    return process.stop(processes, grace, lambda: process.members(directory))


def spawned(directory, code, ready):
    """Start the Python text `code`; return its Process once it has printed 'ready' so often."""
    (directory / 'log').mkdir()
    born = process.spawn(directory, 'p', 'p', [sys.executable, '-c', code])
    assert eventually(lambda: (directory / 'log/p.out').read_text().count('ready') >= ready)
    return born


@pytest.fixture
def parent(tmp_path):
    born = spawned(tmp_path, PARENT, 2)
    yield born
    stop([born], tmp_path, 0)


def test_stop_ends_a_process_and_its_children(parent, tmp_path):
    assert len(process.members(tmp_path)) == 2
    assert stop([parent], tmp_path, 0.3) == ['p']
    assert process.members(tmp_path) == set()
    assert stop([parent], tmp_path, 0.3) == []


def test_children_of_a_killed_parent_are_found_and_ended(parent, tmp_path):
    os.kill(parent.pid, signal.SIGKILL)
    assert eventually(lambda: not parent.alive)
    process.reap(parent.pid)
    assert len(process.members(tmp_path)) == 1
    stop([parent], tmp_path, 0)
    assert process.members(tmp_path) == set()


RESPAWNING = '''
import os, time
while True:                      # as Swift's parent does when a worker dies
    if os.fork() == 0:
        print('ready', flush=True)
        time.sleep(60)
    os.wait()
'''


def test_stop_ends_a_worker_that_starts_during_the_kill(tmp_path):
    born = spawned(tmp_path, RESPAWNING, 1)
    worker = process.members(tmp_path) - {born.pid}
    looks = iter([worker])       # the first look comes before the parent's turn
    process.stop([born], 0, lambda: next(looks, None) or process.members(tmp_path))
    assert process.members(tmp_path) == set()


def test_stop_reports_processes_that_survive_sigkill(monkeypatch):
    monkeypatch.setattr(process, 'AFTER_KILL', 0.05)
    monkeypatch.setattr(process, '_signal', lambda pid, number: None)
    with pytest.raises(LabError, match='cannot be killed, and still run: process 7, 9'):
        process.stop([], 0, lambda: {9, 7})


def test_the_members_of_a_process_are_its_process_group(parent, tmp_path):
    other = process.spawn(tmp_path, 'o', 'o', ['sleep', '60'])
    assert process.members(tmp_path, [other]) == {other.pid}
    assert len(process.members(tmp_path)) == 3
    process.stop([other], 0, lambda: process.members(tmp_path, [other]))
    assert len(process.members(tmp_path)) == 2


def test_another_process_with_the_same_pid_is_left_alone(tmp_path):
    other = subprocess.Popen(['sleep', '60'])
    try:
        started = process.start_time(other.pid)
        mistaken = process.Process('p', 'p', other.pid, started - 1, [])
        assert not mistaken.alive
        assert stop([mistaken], tmp_path, 0.2) == []
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_zombie_process_counts_as_ended():
    child = subprocess.Popen([sys.executable, '-c', ''])
    assert eventually(lambda: process.start_time(child.pid) is None)
    assert process.stat(child.pid).state == 'Z'
    child.wait()
    assert process.start_time(child.pid) is None


@pytest.mark.parametrize(('kind', 'ip', 'port', 'address'), [
    ('proxy', '127.64.0.1', 8080, '127.64.0.1:8080'), ('image', '127.64.0.1', 0, 'run/p-1.sock'),
    ('log-sink', None, None, '')])
def test_a_process_is_shown_with_where_it_listens(kind, ip, port, address):
    assert process.Process('p-1', kind, 1, 0, [], ip, port).address == address
