"""The fork server forks the servers of a lab, each in its own session, and ends after them."""
import os
import signal
import sys

import pytest
from support.cluster import eventually

from swift_lb.lab import fork_server, process

LAUNCHER = '''
import json, sys, time
print(__name__, sys.argv[1:], 'json' in sys.modules, open('/proc/self/comm').read(), flush=True)
print('to stderr', file=sys.stderr, flush=True)
time.sleep(float(sys.argv[1]))
'''


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """Yield (directory of a lab, Process of its fork server, path of a script to launch)."""
    monkeypatch.setattr(fork_server, 'MODULES', {'object': 'json'})
    for room in ('etc', 'log', 'run'):
        (tmp_path / room).mkdir()
    (tmp_path / 'etc/swift.conf').write_text('[swift-hash]\nswift_hash_path_suffix = lab\n')
    (tmp_path / 'launcher').write_text(LAUNCHER)
    one = process.spawn(tmp_path, 'fork-server', 'fork-server',
                        fork_server.command(tmp_path, {'object'}))
    yield tmp_path, one, tmp_path / 'launcher'
    process.stop([one], 0, lambda: process.members(tmp_path))


def test_a_forked_server_has_its_arguments_output_and_session(lab):
    directory, one, launcher = lab
    out = directory / 'out'
    pid = fork_server.fork(directory, one, 'object-1', out, [launcher, '60'])
    assert eventually(lambda: out.exists() and 'to stderr' in out.read_text()), one
    assert "__main__ ['60'] True object-1" in out.read_text()
    born = process.born(pid, 'object-1', 'object', [sys.executable])
    assert born.alive
    assert {pid} == process.members(directory, [born])


def test_a_forked_server_that_ends_is_reaped(lab):
    directory, one, launcher = lab
    pid = fork_server.fork(directory, one, 'object-1', directory / 'out', [launcher, 'no number'])
    assert eventually(lambda: not os.path.exists(f'/proc/{pid}'))
    assert 'ValueError' in (directory / 'out').read_text()


def test_fork_returns_none_if_no_fork_server_runs(lab):
    directory, one, launcher = lab
    words = 'object-1', directory / 'out', [launcher, '60']
    assert fork_server.fork(directory, None, *words) is None
    os.kill(one.pid, signal.SIGKILL)
    assert eventually(lambda: not one.alive)
    assert fork_server.fork(directory, one, *words) is None


def test_the_fork_server_ends_only_after_its_servers(lab):
    directory, one, launcher = lab
    pid = fork_server.fork(directory, one, 'object-1', directory / 'out', [launcher, '60'])
    os.kill(one.pid, signal.SIGTERM)
    assert not eventually(lambda: not one.alive, 0.3)
    os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: not one.alive)
