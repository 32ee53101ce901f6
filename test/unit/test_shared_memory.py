"""A file that processes share: access, slots, and what dead processes leave."""
import errno
import os
import signal
import stat
import subprocess
import sys

import pytest

from swift_lb import shared_memory
from swift_lb.errors import SharedMemoryError
from swift_lb.shared_memory import HEAD, Layout, attach, read_only

MAGIC, SLOTS, SIZE = b'a test of swift-lb', 5, 3 * HEAD


def fault_of(head, size):
    """Return what is wrong with a file of these first bytes and size; None if of version 1."""
    if not head.startswith(MAGIC) or size != SIZE:
        return 'is no test'
    return None if head[HEAD - 1:] == b'1' else f'is of version {head[HEAD - 1:].decode()}'


def layout(version=b'1'):
    return Layout(MAGIC.ljust(HEAD - 1, b'\0') + version, SIZE, SLOTS, fault_of,
                  lambda head: head.startswith(MAGIC))


OTHER = """\
import sys
sys.path.insert(0, sys.argv[1])
from unit.test_shared_memory import layout
from swift_lb.errors import SharedMemoryError
from swift_lb.shared_memory import attach
try:
    memory = attach(sys.argv[2], layout())
except SharedMemoryError as err:
    print(err, flush=True)
else:
    memory.buffer[4096 + memory.slot] = 7
    print(memory.slot, flush=True)
sys.stdin.read()
"""


KILLED = """\
import os, signal, sys
def killed(*_args, **_how):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, sys.argv[3], killed)
"""


def begun(path, program=OTHER, *more):
    """Run `program` on `path`, return the Popen; OTHER prints its slot, and ends with its stdin."""
    return subprocess.Popen(
        [sys.executable, '-c', program, os.path.dirname(os.path.dirname(__file__)), path, *more],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def start(tmp_path):
    """Return a function that starts OTHER on `path` and returns (Popen, the line it printed)."""
    started = []

    def start():
        process = begun(path_in(tmp_path))
        started.append(process)
        return process, process.stdout.readline().strip()
    yield start
    for process in started:
        process.communicate()   # closes its stdin, at which it ends


@pytest.fixture
def path(tmp_path):
    return path_in(tmp_path)


def path_in(directory):
    return str(directory / 'a.book')


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_a_new_file_has_its_full_size_and_mode_0600(path):
    memory = attach(path, layout())
    status = os.stat(path)
    assert (0, SIZE, 0o600) == (memory.slot, status.st_size, stat.S_IMODE(status.st_mode))
    assert (bytes(memory.buffer[:HEAD]), bytes(memory.buffer[HEAD:])) == (
        layout().head, b'\0' * (SIZE - HEAD))
    assert [os.path.basename(path)] == os.listdir(os.path.dirname(path))


def test_processes_share_bytes_and_have_a_slot_each(path, start):
    memory = attach(path, layout())
    assert ['1', '2'] == [start()[1] for _ in range(2)]
    assert b'\0\7\7\0' == memory.buffer[HEAD:HEAD + 4]


def test_the_slot_of_a_killed_process_is_wiped_once(path, start):
    memory, wiped = attach(path, layout()), []
    first, _output = start()
    start()
    memory.reclaim(range(SLOTS), wiped.append)
    assert [3, 4] == wiped              # no process has them either
    kill(first)
    del wiped[:]
    memory.reclaim(range(3), wiped.append)
    assert [1] == wiped
    assert '1' == start()[1]


def test_a_process_suspended_by_sigstop_keeps_its_slot(path, start):
    memory, wiped = attach(path, layout()), []
    process, _output = start()
    os.kill(process.pid, signal.SIGSTOP)
    memory.reclaim(range(2), wiped.append)
    os.kill(process.pid, signal.SIGCONT)
    assert [] == wiped


def test_a_slot_being_wiped_is_not_free(path, start):
    memory, result = attach(path, layout()), []
    memory.reclaim([1], lambda slot: result.append(start()[1]))
    assert ['2'] == result


def test_closing_another_descriptor_keeps_the_slot(path, start):
    memory = attach(path, layout())
    os.close(os.open(path, os.O_RDWR))      # as any library may; it ends a classic lock
    assert ('1', 0) == (start()[1], memory.slot)


@pytest.mark.parametrize('gone', [(), (0,), (1, 3), (0, 1, 2, 3, 4)])
def test_a_reader_without_a_slot_gets_bytes_and_held_slots(path, gone):
    memories = {memory.slot: memory for memory in [attach(path, layout()) for _ in range(SLOTS)]}
    memories[2].buffer[HEAD] = 7
    for slot in gone:
        memories.pop(slot)
    buffer, alive = read_only(path, fault_of, SLOTS)
    assert (7, sorted(memories)) == (buffer[HEAD], alive)
    with pytest.raises(TypeError):
        buffer[HEAD] = 8


def test_only_one_process_at_a_time_holds_the_insertion_lock(path):
    one, other = attach(path, layout()), attach(path, layout())
    with one.alone() as mine:
        assert mine
        with other.alone() as others:
            assert not others
    with other.alone() as mine:
        assert mine


@pytest.mark.parametrize(('version', 'size'), [(b'0', SIZE), (b'1', HEAD)])
def test_an_unused_faulty_file_is_replaced(path, version, size):
    shared_memory.create(path, layout(version))
    os.truncate(path, size)
    memory = attach(path, layout())
    assert (0, b'1', True) == (memory.slot, memory.buffer[HEAD - 1:HEAD], memory.is_current())
    assert SIZE == len(memory.buffer)
    assert 1 == len(os.listdir(os.path.dirname(path)))


def test_a_faulty_file_in_use_is_refused(path):
    newer = Layout(layout(b'2').head, SIZE, SLOTS, lambda head, size: None, lambda head: True)
    memory = attach(path, newer)
    with pytest.raises(SharedMemoryError, match='of version 2, and other processes are using it'):
        attach(path, layout())
    assert memory.is_current()
    del memory
    assert 0 == attach(path, layout()).slot


def test_a_file_not_made_by_swift_lb_is_never_replaced(path):
    for content in (b'', b'[swift-hash]\n', b'x' * SIZE):
        with open(path, 'wb') as made:
            os.fchmod(made.fileno(), 0o600)
            made.write(content)
        with pytest.raises(SharedMemoryError, match='is no test; remove it'):
            attach(path, layout())
        with open(path, 'rb') as there:
            assert content == there.read()


@pytest.mark.parametrize(('make', 'fault'), [
    (lambda path: os.symlink('target', path), 'symbolic links'),
    (lambda path: os.mkfifo(path, 0o600), 'not a plain file'), (os.mkdir, 'directory'),
    (lambda path: os.rmdir(os.path.dirname(path)), 'No such file or directory'),
    *((lambda path, mode=mode: (shared_memory.create(path, layout()), os.chmod(path, mode)),
       'accessible to other users') for mode in (0o640, 0o602, 0o604))])
def test_links_fifos_and_files_others_can_read_are_refused(path, make, fault):
    make(path)
    with pytest.raises(SharedMemoryError, match=fault):
        attach(path, layout())


def test_another_users_file_is_refused(path, monkeypatch):
    shared_memory.create(path, layout())
    monkeypatch.setattr(os, 'geteuid', lambda: os.getuid() + 1)
    with pytest.raises(SharedMemoryError, match='accessible to other users'):
        attach(path, layout())


def test_a_removed_file_stays_usable_while_a_new_one_is_made(path):
    memory = attach(path, layout())
    os.unlink(path)
    assert not memory.is_current()
    memory.buffer[HEAD] = 9
    other = attach(path, layout())
    assert (0, 0) == (other.slot, other.buffer[HEAD])
    assert not memory.is_current()
    assert memory.name != other.name


def test_without_free_memory_nothing_is_reserved_or_created(path, monkeypatch):
    memory = attach(path, layout())
    assert memory.reserve(HEAD, HEAD)

    def full(*_arguments):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(os, 'posix_fallocate', full)
    assert not memory.reserve(HEAD, HEAD)
    os.unlink(path)
    with pytest.raises(SharedMemoryError, match='No space left'):
        attach(path, layout())
    assert [] == os.listdir(os.path.dirname(path))


@pytest.mark.parametrize('call', ['posix_fallocate', 'pwrite', 'ftruncate', 'link'])
def test_a_process_killed_while_making_the_file_leaves_none(path, call):
    process = begun(path, KILLED + OTHER, call)
    assert ('', None) == process.communicate()
    assert -signal.SIGKILL == process.returncode
    assert [] == os.listdir(os.path.dirname(path))
    assert 0 == attach(path, layout()).slot
    assert [os.path.basename(path)] == os.listdir(os.path.dirname(path))


def test_the_error_names_a_filesystem_without_o_tmpfile(path, monkeypatch):
    plain = os.open

    def no_tmpfile(where, flags, *mode):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, 'Operation not supported')
        return plain(where, flags, *mode)
    monkeypatch.setattr(os, 'open', no_tmpfile)
    with pytest.raises(SharedMemoryError, match='book: Operation not supported'):
        attach(path, layout())
    assert [] == os.listdir(os.path.dirname(path))


def test_processes_share_one_file_until_all_its_slots_are_held(path):
    processes = [begun(path) for _ in range(SLOTS)]
    printed = sorted(process.stdout.readline().strip() for process in processes)
    with pytest.raises(SharedMemoryError, match=f'all {SLOTS} slots are in use'):
        attach(path, layout())
    for process in processes:
        process.communicate()
    assert [str(slot) for slot in range(SLOTS)] == printed
