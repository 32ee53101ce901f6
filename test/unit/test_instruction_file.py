"""The Instruction in a file: read whole or not at all, and only while it is in force."""
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swift_lb import instruction_file
from swift_lb.instruction_file import CHECK_INTERVAL, InstructionFile, boot, read, write
from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.wire import instruction as wire

PARTS = (NodeInstruction('a', '10.0.0.1:8080', UP, 12.5, 1.0, 0.75, 1.0, 0.0),
         NodeInstruction('b', '', 'late', None, 0.25, 0.25, 0.5, 1.0))
GOOD = make_instruction(7, 105.0, 'balanced', False, PARTS, 'ab12' * 4)


@pytest.fixture
def path(tmp_path):
    """Return the path of an instruction file, which does not exist yet."""
    return str(tmp_path / 'instruction.json')


class Clock:
    """A clock, in seconds, that stands until a test sets `now`."""

    def __init__(self, now=100.0):
        self.now = now

    def __call__(self):
        return self.now


def test_a_written_instruction_is_read_back_unchanged(path):
    write(path, GOOD)
    assert read(path, 100.0) == (GOOD, None)
    assert os.listdir(os.path.dirname(path)) == ['instruction.json']
    assert os.stat(path).st_mode & 0o777 == 0o644
    assert boot() == boot() != ''


@pytest.mark.parametrize(('now', 'fault'), [
    (104.999, None), (105.0, 'has expired 0.0 s ago'), (165.0, 'has expired 60.0 s ago')])
def test_an_instruction_is_in_force_until_it_expires(path, now, fault):
    write(path, GOOD)
    result, why = read(path, now)
    assert (result, why) == ((GOOD, None) if fault is None else (None, f'{path} {fault}'))


def test_a_missing_file_or_a_directory_is_a_fault(path):
    assert read(path, 100.0) == (None, f'{path}: No such file or directory')
    os.mkdir(path)
    assert read(path, 100.0) == (None, f'{path}: Is a directory')


def with_fields(**fields):
    """Return the bytes of an instruction file of GOOD with `fields` replaced or added."""
    return json.dumps(dict(wire.rows(GOOD, boot()), **fields)).encode()


def with_part(**fields):
    """Return the bytes of GOOD with its first NodeInstruction alone, of which `fields` differ."""
    return with_fields(parts=[list(dict(PARTS[0]._asdict(), **fields).values())])


BAD = [
    b'', b'{', b'null', b'[]', b'{}', b'"x"', b'\xff', b'[' * 100_000, with_fields(format='1'),
    with_fields(parts=None), with_fields(parts=[None]),
    with_fields(parts=[{}]), with_fields(expires_at='soon'), with_fields(expires_at=None),
    with_fields(expires_at=float('nan')), with_fields(expires_at=float('inf')),
    with_fields(expires_at=10**400), with_fields(generation=None), with_fields(generation=1.5),
    with_part(node=None), with_part(proxy=None), with_part(state=1),
    with_part(dns=-0.1), with_part(dns=1.1), with_part(keep=None), with_part(take='0'),
    with_part(weight=float('nan')), with_part(dns=10**400), with_part(more=1)]


@pytest.mark.parametrize(('data', 'fault'), [
    *((data, ' ') for data in BAD),
    (with_fields(format=2), ' has format 2, and this swift-lb reads 1'),
    (wire.encode(GOOD, 'another boot'), ' is from before this host was booted')])
def test_a_damaged_file_or_one_of_another_boot_is_a_fault(path, data, fault):
    with open(path, 'wb') as file:
        file.write(data)
    result, why = read(path, 100.0)
    assert result is None
    assert why.startswith(path + fault)


@settings(max_examples=300)
@given(st.integers(0, 10**6), st.integers(0, 255))
def test_a_file_with_a_changed_byte_is_read_or_is_a_fault(place, byte):
    data = bytearray(wire.encode(GOOD, 'boot'))
    data[place % len(data)] = byte
    result, why = wire.decode(bytes(data), 'boot')
    assert (result is None) != (why is None)


@given(st.integers(0, 10**6))
def test_a_truncated_file_is_a_fault(length):
    data = wire.encode(GOOD, 'boot')
    result, why = wire.decode(data[:length % len(data)], 'boot')
    assert (result, why) == (None, 'is not an instruction, or only a part of one')


def test_a_failed_write_leaves_only_the_old_file(path, monkeypatch):
    write(path, GOOD)
    monkeypatch.setattr(os, 'replace', lambda *_paths: os.stat('/nowhere'))
    with pytest.raises(FileNotFoundError):
        write(path, GOOD._replace(generation=8))
    assert os.listdir(os.path.dirname(path)) == ['instruction.json']
    assert read(path, 100.0)[0] == GOOD


def test_an_instruction_file_is_read_again_only_once_replaced(path, monkeypatch):
    clock, reads = Clock(), []
    monkeypatch.setattr(instruction_file, 'read', lambda *args: reads.append(1) or read(*args))
    file = InstructionFile(path, clock)
    assert file.current() is None
    assert file.fault == f'{path}: No such file or directory'
    write(path, GOOD)
    assert file.current() is None           # it has just checked
    reads.clear()
    for _look in range(5):
        clock.now += CHECK_INTERVAL
        assert file.current() == GOOD
    assert file.fault is None
    assert len(reads) == 1
    write(path, GOOD._replace(generation=8))
    clock.now += CHECK_INTERVAL
    assert file.current().generation == 8
    assert len(reads) == 2


def test_an_expired_instruction_is_not_in_force(path):
    clock = Clock()
    write(path, GOOD)
    file = InstructionFile(path, clock)
    assert file.current() == GOOD
    clock.now = 104.999
    assert file.current() == GOOD
    clock.now = 105.0
    assert file.current() is None
    assert file.fault == f'{path} has expired: swift-lb-agent does not renew it'
    write(path, GOOD._replace(expires_at=110.0))
    clock.now += CHECK_INTERVAL
    assert file.current().expires_at == 110.0


@pytest.mark.parametrize('damage', ['gone', 'garbage'])
def test_a_removed_file_is_a_fault_until_it_is_written_again(path, damage):
    clock = Clock()
    write(path, GOOD)
    file = InstructionFile(path, clock)
    assert file.current() == GOOD
    if damage == 'gone':
        os.unlink(path)
    else:
        with open(path, 'wb') as other:
            other.write(b'garbage')
    clock.now += CHECK_INTERVAL
    assert file.current() is None
    assert path in file.fault
    write(path, GOOD)
    clock.now += CHECK_INTERVAL
    assert (file.current(), file.fault) == (GOOD, None)
