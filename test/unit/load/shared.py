"""Nodes, a Table of counts in a bytearray, and the books of processes that share it."""
from contextlib import nullcontext

from swift_lb.load import table
from swift_lb.load.pace import Pace
from swift_lb.load.shared_book import SharedBook
from swift_lb.model import Node

BOOT = b'boot' * 4
CAPACITY, SLOTS = 8, 4
SDA, SDB, SDC = NODES = [Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb', 'sdc')]


def buffer(capacity=CAPACITY, slots=SLOTS):
    """Return an empty table, a bytearray: room for `capacity` devices and `slots` processes."""
    return bytearray(table.header(BOOT, capacity, slots).ljust(table.size(capacity, slots), b'\0'))


def load_of(of_book, node=SDA):
    """Return the NodeLoad of `node` in a new Snapshot of the book `of_book`."""
    return of_book.snapshot([node]).of(node)


def book(words, slot=0, kinds=(Pace,), alone=True):
    """Return the SharedBook of a process that has just taken `slot` of the Table `words`.

    `alone`: whether the process may insert records.
    """
    words.take(slot, 1000 + slot)
    return SharedBook(kinds, words, slot, lambda: nullcontext(alone))


def books(number=2, **how):
    """Return (Table, [SharedBook of each of `number` processes])."""
    words = table.Table(buffer(**how))
    return words, [book(words, slot) for slot in range(number)]
