"""Body parts whose peek or read fails."""
import random

import pytest

from swift_lb.load.book import LoadBook
from swift_lb.metrics import Metrics
from swift_lb.model import Node
from swift_lb.proxy.recorder import MeasuredPart, ReadRecorder
from swift_lb.proxy.replicas import ReplicaOrder
from swift_lb.replica_options import ReplicaOptions

NODE = {'ip': '10.0.0.1', 'port': 6200, 'device': 'sda'}


class Part:
    """A body of three bytes whose peek fails, and whose read fails if `fault` is given."""

    def __init__(self, fault=None):
        self.fault, self.chunks = fault, [b'abc', b'']

    def peek(self, _amt):
        raise self.fault or AttributeError('peek')

    def read(self, _amt):
        if self.fault:
            raise self.fault
        return self.chunks.pop(0)


def begun():
    """Return a ReadRecorder and a Read of NODE."""
    recorder = ReadRecorder(ReplicaOrder(
        {None: ReplicaOptions()}, LoadBook(), Metrics(None, None, None), lambda: 1.0,
        random.Random(1), None))
    return recorder, recorder.begin(NODE, 0)


def test_a_body_that_can_not_be_peeked_is_read_and_credited():
    recorder, read = begun()
    assert MeasuredPart(Part(), read, 3, True, recorder).read(65536) == b'abc'
    load = recorder.book.snapshot().of(Node(**NODE))
    assert (1, 1, 0, 0) == (load.chunks, load.successes, load.errors, load.in_flight)


def test_an_error_while_a_body_is_read_counts_once_and_is_raised():
    recorder, read = begun()
    with pytest.raises(ConnectionResetError):
        MeasuredPart(Part(ConnectionResetError()), read, 3, True, recorder).read(65536)
    assert 1 == recorder.book.snapshot().of(Node(**NODE)).errors


def test_after_the_last_byte_no_wait_is_recorded():
    recorder, read = begun()
    part, waits = MeasuredPart(Part(), read, 3, True, recorder), []
    recorder.wait = waits.append
    assert [b'abc', b''] == [part.read(65536), part.read(65536)]
    assert [read] == waits
