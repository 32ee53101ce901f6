"""Table, a host's LoadBook in shared memory: header faults, records of devices, worker slots."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from unit.load.shared import BOOT, CAPACITY, SDA, SDB, SLOTS, book, buffer

from swift_lb.load import table
from swift_lb.load.pace import WEIGHT
from swift_lb.load.table import Slot, Table, fault, parse
from swift_lb.model import Node


def head(changes=None, boot=BOOT):
    """Return a table's header; `changes`, {offset: byte}, replaces some of its bytes."""
    made = bytearray(table.header(boot, CAPACITY, SLOTS))
    for place, byte in (changes or {}).items():
        made[place] = byte
    return bytes(made)


def test_a_new_table_is_empty_and_without_fault():
    made = buffer()
    assert fault(bytes(made[:table.HEADER]), len(made), BOOT) is None
    words = Table(made)
    assert (0, 0, CAPACITY, SLOTS, []) == (
        words.count, words.used, words.capacity, words.slots, words.workers())


@pytest.mark.parametrize('place', range(table.PREFIX.size + table.CHECKSUM.size))
def test_any_flipped_bit_of_the_fixed_header_is_a_fault(place):
    for bit in range(8):
        assert fault(head({place: head()[place] ^ 1 << bit}), len(buffer()), BOOT)


@pytest.mark.parametrize(('begin', 'length', 'boot', 'said'), [
    (b'', 0, BOOT, 'no book'),
    (b'swift-lb', 8, BOOT, 'no book'),
    (head()[:-1], len(buffer()), BOOT, 'no book'),
    (head({table.HEADER - 1: 0}), len(buffer()), BOOT, 'damaged header'),
    (head(), len(buffer()) - 1, BOOT, f'not the {len(buffer())}'),
    (head(), len(buffer()) + 1, BOOT, f'not the {len(buffer())}'),
    (head({8: 9}), len(buffer()), BOOT, 'version 9'),
    (head(boot=b'another boot....'), len(buffer()), BOOT, 'before the host was booted'),
    (head(boot=b'another boot....'), len(buffer()), None, 'None'),
])
def test_each_fault_of_a_table_has_a_reason_in_words(begin, length, boot, said):
    assert said in str(fault(begin, length, boot))


def test_the_front_of_a_table_is_its_header_and_request_counts():
    front = table.front(BOOT, CAPACITY, SLOTS)
    assert (head(), 4096 + 4 * SLOTS * 8) == (front[:table.HEADER], len(front))
    assert buffer().startswith(front)
    assert len(table.front(BOOT)) == 3 * 4096      # whole pages, of a table as large as they are


def test_a_table_is_recognised_by_either_of_its_two_magics():
    assert all(table.is_table(made) for made in (
        head(), head({0: 0}), head({table.HEADER - 1: 0}), head({8: 9})))
    assert not any(table.is_table(made) for made in (
        head({0: 0, table.HEADER - 1: 0}), b'', b'[swift-hash]\n' * 1000))


@given(ip=st.one_of(st.ip_addresses().map(str), st.text(max_size=20)),
       port=st.integers(-1, 70000) | st.none(), device=st.text(max_size=30))
@example('::1', 6200, 'sda')
@example('10.0.0.1', 6200, 'a/b')
def test_a_nodes_name_is_parsed_to_the_same_node_or_none(ip, port, device):
    node = Node(ip, port, device)
    assert parse(str(node).encode('utf-8', 'surrogatepass')) in (node, None)


@given(st.binary(max_size=127))
def test_any_bytes_are_parsed_to_a_node_or_none(text):
    result = parse(text)
    assert result is None or str(result).encode() == text


@pytest.mark.parametrize(('node', 'fits'), [
    (SDA, True), (Node('fe80::1', 6200, 'sda'), True), (Node('::1', 1, ''), True),
    (Node('node1', 6200, 'd' * 110), True), (Node('node1', 6200, 'd' * 120), False),
    (Node('10.0.0.1', None, 'sda'), False)])
def test_a_device_is_inserted_only_if_its_name_fits_and_parses(node, fits):
    words = Table(buffer())
    assert (0 if fits else None) == words.insert(node)
    assert (int(fits), node if fits else None) == (words.count, words.name(0))


def test_on_a_full_tmpfs_no_record_is_inserted():
    made, asked = buffer(), []
    words = Table(made, lambda at, length: asked.append((at, length)))
    assert words.insert(SDA) is None
    assert made == buffer()
    assert [(table.records_at(SLOTS), table.record_size(SLOTS))] == asked


def test_a_record_that_was_half_inserted_is_overwritten():
    made = buffer()
    begin, size = table.records_at(SLOTS), table.record_size(SLOTS)
    made[begin:begin + size] = b'\xff' * size
    words = Table(made)
    words.insert(SDA)
    doubles, integers, _bytes = words.words(0)
    assert words.name(0) == SDA
    assert [0] * (2 * SLOTS) == integers[table.FIELDS:].tolist()
    assert 0.0 == doubles[table.PACE + WEIGHT]


def test_a_process_that_takes_a_dead_ones_slot_wipes_its_reads():
    words = Table(buffer())
    dead = book(words, 2)
    reads = [dead.begin(SDA, 1.0), dead.begin(SDB, 2.0)]
    other = book(words, 0).begin(SDA, 3.0)
    assert [Slot(0, 1000, 1), Slot(2, 1002, 2)] == words.workers()
    for read in reads:
        read._record = other._record      # its process is gone, and ends nothing any more
        read._ended = True
    words.take(2, 77)
    assert [Slot(0, 1000, 1), Slot(2, 77, 0)] == words.workers()
    words.wipe(2)
    assert [Slot(0, 1000, 1)] == words.workers()


def test_impossible_slot_and_record_counts_read_as_the_maximum():
    words = Table(buffer())
    words.integers[table.COUNT] = words.integers[table.USED] = 2 ** 64 - 1
    assert (CAPACITY, SLOTS) == (words.count, words.used)
    assert words.shape().size == (table.FIELDS + 2 * SLOTS) * 8
    words.stretch(1)
    assert words.used == 2
    words.stretch(0)            # two that are taken at once are both used
    assert words.used == 2
