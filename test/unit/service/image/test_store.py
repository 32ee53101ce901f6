"""The store of results, on a real folder: restarts, damage, and disks that are full."""
import os
import resource

import pytest

from swift_lb.chains.cache.keys import key_of
from swift_lb.service.image.store import BLOCK, HEAD, LARGEST, PRIORITY_AT, UNFINISHED, Store

A, B, C, D = (key_of(name) for name in 'abcd')
ROOM = BLOCK - HEAD.size        # bytes of a result whose file has one block


@pytest.fixture
def said():
    """Return the list of what stores have logged."""
    return []


@pytest.fixture
def make(tmp_path, said):
    """Return a function that makes a Store of three blocks, in the same folder each time."""
    return lambda budget=3 * BLOCK, folder=tmp_path / 'cache': Store(
        str(folder), budget, 0.005, said.append)


def file_of(tmp_path, key):
    """Return the path of a key's file."""
    return tmp_path / 'cache' / key[:2] / key


def test_what_is_kept_is_got_again(make, tmp_path):
    store = make()
    assert store.keep(A, b'result', 0.1)
    assert file_of(tmp_path, A).parent.stat().st_mode & 0o777 == 0o700
    assert store.get(A) == b'result'
    assert store.get(B) is None
    assert {A: 6} == store.have([A, B])
    assert {'budget': 3 * BLOCK, 'bytes': BLOCK, 'entries': 1, 'saved': 0.1, 'hits': 1, 'misses': 1,
            'kept': 1, 'cheap': 0, 'evicted': 0, 'failed': 0, 'corrupt': 0} == store.document()


def test_what_is_large_is_not_kept(make):
    store = make(1 << 30)
    assert store.keep(A, bytes(LARGEST), 100.0)
    assert not store.keep(B, bytes(LARGEST + 1), 100.0)


@pytest.mark.parametrize(('key', 'size', 'seconds'), [
    (A, 9, 0.0049), (A, 9, float('nan')), (A, 9, float('inf')), (A, 3 * BLOCK, 1.0),
    ('../x', 9, 1.0), ('a', 9, 1.0), ('/' * 64, 9, 1.0), (A.upper(), 9, 1.0), (None, 9, 1.0)])
def test_what_saves_little_or_has_no_key_or_no_room_is_not_kept(make, key, size, seconds):
    store = make()
    assert not store.keep(key, bytes(size), seconds)
    assert store.document()['cheap'] == 1
    assert store.document()['entries'] == 0


def test_the_files_stay_within_the_budget(make, tmp_path):
    store = make()
    for number in range(50):
        assert store.keep(key_of(number), bytes(ROOM), 1.0)
    assert store.document()['evicted'] == 47
    assert 3 * [BLOCK] == [path.stat().st_size for path in tmp_path.rglob('*') if path.is_file()]


def test_a_restart_keeps_results_and_their_order(make):
    store = make()
    for key, seconds in ((A, 1.0), (B, 1.5), (C, 2.0)):
        store.keep(key, bytes(ROOM), seconds)
    store.keep(D, bytes(ROOM), 3.0)     # A goes: L = 1 / BLOCK
    store.get(B)                        # H = 2.5 / BLOCK
    store = make()
    assert [D, B, C] == store.hottest(9)
    assert store.get(C) == bytes(ROOM)  # H = L + 2, now with L = 2
    assert [C, D, B] == store.hottest(9)
    assert make(budget=2 * BLOCK).have([A, B, C, D]) == {C: ROOM, D: ROOM}


def test_a_restart_removes_what_is_unfinished_and_only_that(make, tmp_path):
    make().keep(A, b'a', 1.0)
    folder = file_of(tmp_path, A).parent
    other = key_of('e')
    for path in (folder / (A + UNFINISHED), folder / 'notes', folder / other):
        path.write_bytes(b'x')
    assert {A: 1} == make().have([A, other])
    assert {A, 'notes', other} - ({other} if other[:2] == A[:2] else set()) == {
        path.name for path in folder.iterdir()}


def damages():
    """Yield functions that damage the file at a path."""
    yield lambda path: path.write_bytes(path.read_bytes()[:-1])
    yield lambda path: path.write_bytes(path.read_bytes() + b'x')
    yield lambda path: path.write_bytes(b'')
    yield lambda path: path.unlink()
    yield lambda path: (path.unlink(), path.mkdir())
    for place in [*range(PRIORITY_AT), HEAD.size, -1]:
        def flip(path, place=place):
            data = bytearray(path.read_bytes())
            data[place] ^= 1
            path.write_bytes(data)
        yield flip


@pytest.mark.parametrize('damage', [*damages()])
@pytest.mark.parametrize('restarts', [False, True])
def test_a_damaged_file_is_a_miss_and_is_removed(make, tmp_path, damage, restarts):
    store, path = make(), file_of(tmp_path, A)
    store.keep(A, b'result', 0.1)
    damage(path)
    store = make() if restarts else store
    assert store.get(A) is None
    assert not path.is_file()
    assert store.document()['bytes'] == 0
    if not path.exists():
        assert store.keep(A, b'result', 0.1)
        assert store.get(A) == b'result'


@pytest.fixture
def full():
    """Let no file of this process grow beyond 64 KiB: a write of more is a short one, or fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_counted_and_logged_once(make, tmp_path, said, full):
    store = make(budget=1 << 20)
    store.keep(A, b'a', 1.0)
    for key in (B, C):
        assert not store.keep(key, bytes(100_000), 1.0)
    assert store.document()['failed'] == 2
    assert store.document()['bytes'] == BLOCK
    assert [file_of(tmp_path, A)] == [path for path in tmp_path.rglob('*') if path.is_file()]
    assert [f'{tmp_path}/cache: results are not kept: the disk is full'] == said
    assert store.keep(D, b'd', 1.0)
    store.keep(B, bytes(100_000), 1.0)
    assert len(said) == 2


@pytest.mark.parametrize(('folder', 'reason'), [
    ('file', 'Not a directory'), ('/proc/none', 'No such file or directory'),
    ('mine', 'Permission denied')])
def test_a_folder_that_can_not_be_used_is_told_at_the_start(
        make, tmp_path, said, monkeypatch, folder, reason):
    (tmp_path / 'file').touch()
    monkeypatch.setattr(os, 'access', lambda path, _mode: not path.endswith('mine'))     # of root
    store = make(folder=tmp_path / folder)
    assert [f'{tmp_path / folder}: results are not kept: {reason}'] == said
    if folder != 'mine':
        assert not store.keep(A, b'a', 1.0)
        assert store.get(A) is None
        assert len(said) == 1
