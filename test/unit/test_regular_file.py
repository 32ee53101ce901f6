"""Only regular files are opened, and no reader blocks.

A test of a reader that blocks on a FIFO would not end: each runs in a thread of its own.
"""
import errno
import os
import socket
import threading

import pytest

from swift_lb import instruction_file
from swift_lb.conf_file import read_sections
from swift_lb.errors import ConfigError
from swift_lb.proxy.dispatch import identity
from swift_lb.regular_file import FileWatch, open_regular
from swift_lb.service.local_proxy import proxy_facts
from swift_lb.service.name_server import NameServer
from swift_lb.service.sensors.host import AsyncPending

LONGEST = 60.0      # seconds after which a reader counts as blocked


def returned(call, *args):
    """Return what `call(*args)` returns or raises; fail if it does neither within 60 s."""
    results = []

    def run():
        try:
            results.append(call(*args))
        except Exception as err:
            results.append(err)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(LONGEST)
    assert results, f'{call} blocks'
    return results[0]


@pytest.fixture
def fifo(tmp_path):
    """A FIFO that no process writes to."""
    path = str(tmp_path / 'fifo')
    os.mkfifo(path)
    return path


def test_a_regular_file_is_read(tmp_path):
    path = tmp_path / 'file'
    path.write_bytes(b'na\xc3\xafve\n')
    with open_regular(path, encoding='utf-8') as text, open_regular(path, 'rb') as data:
        assert (text.read(), data.read()) == ('naïve\n', b'na\xc3\xafve\n')


def test_irregular_files_are_refused_and_closed(fifo, tmp_path):
    bound = str(tmp_path / 'socket')
    before = len(os.listdir('/proc/self/fd'))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(bound)
        faults = [returned(open_regular, path).errno
                  for path in (fifo, bound, '/dev/zero', tmp_path, tmp_path / 'none')]
    assert [errno.EINVAL, errno.ENXIO, errno.EINVAL, errno.EISDIR, errno.ENOENT] == faults
    assert len(os.listdir('/proc/self/fd')) == before


def test_reading_an_instruction_from_a_fifo_is_a_fault(fifo):
    assert (None, f'{fifo}: not a regular file') == returned(instruction_file.read, fifo, 0.0)


def test_writing_an_instruction_replaces_a_fifo(fifo, monkeypatch):
    monkeypatch.setattr(instruction_file, 'encode', lambda *_instruction: b'new')
    assert returned(instruction_file.write, fifo, None) is None
    with open(fifo, 'rb') as file:
        assert file.read() == b'new'
    os.mkfifo(f'{fifo}.{os.getpid()}')
    assert returned(instruction_file.write, fifo, None).errno == errno.ENXIO
    assert os.listdir(os.path.dirname(fifo)) == ['fifo']


@pytest.mark.parametrize('read', [lambda path: read_sections(path, 'lb-dns'), identity.read])
def test_a_conf_that_is_a_fifo_is_refused(read, fifo):
    fault = returned(read, fifo)
    assert isinstance(fault, ConfigError)
    assert fault.faults == (f'{fifo}: not a regular file',)


def test_a_fifo_is_treated_as_an_unreadable_file(fifo):
    assert set(returned(proxy_facts, fifo).values()) == {None}
    assert returned(lambda: NameServer(fifo)())['configured'] is False
    sensor = AsyncPending(path=fifo)
    assert returned(sensor.read, 0.0) is None
    assert 'not a regular file' in sensor.fault


def test_file_watch_reports_each_change_once(tmp_path):
    path = tmp_path / 'file'
    watch = FileWatch(path)
    changes = [watch.has_changed(), watch.has_changed()]
    for change in (path.touch, lambda: path.write_text('x'), path.unlink, path.touch):
        change()
        changes += [watch.has_changed(), watch.has_changed()]
    assert [True, False] * 5 == changes
