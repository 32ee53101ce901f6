"""Nodes, tables on a bytearray, and the books of processes that share them."""
from contextlib import nullcontext

from swift_lb.load import table
from swift_lb.load.pace import Pace
from swift_lb.load.shared_book import SharedBook
from swift_lb.model import Node

BOOT = b'boot' * 4
CAPACITY, SLOTS = 8, 4
SDA, SDB, SDC = NODES = [Node('10.0.0.1', 6200, device) for device in ('sda', 'sdb', 'sdc')]


def buffer(capacity=CAPACITY, slots=SLOTS):
    """Return the bytes of an empty table."""
    return bytearray(table.header(BOOT, capacity, slots).ljust(table.size(capacity, slots), b'\0'))


def load_of(of_book, node=SDA):
    """Return the NodeLoad that a book has of `node`."""
    return of_book.snapshot([node]).of(node)


def book(words, slot=0, kinds=(Pace,), alone=True):
    """Return the SharedBook of a process that has just taken `slot`."""
    words.take(slot, 1000 + slot)
    return SharedBook(kinds, words, slot, lambda: nullcontext(alone))


def books(number=2, **how):
    """Return the Table and the SharedBooks of so many processes."""
    words = table.Table(buffer(**how))
    return words, [book(words, slot) for slot in range(number)]
