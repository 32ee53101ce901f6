"""A LoadBook that a host's processes share: each sees in it what a private one would show."""
import gc

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from unit.load.shared import NODES, SDA, SDB, SDC, book, books, buffer, load_of

from swift_lb.load import hedge, shared_book
from swift_lb.load.book import LoadBook
from swift_lb.load.pace import Pace
from swift_lb.load.probe import Probe
from swift_lb.load.table import Table
from swift_lb.load.tail_time import CLASSES
from swift_lb.model import DeviceReport, Node

REPORT = DeviceReport(3, 0.02)


class SameBook(RuleBasedStateMachine):
    """A private LoadBook and two of one shared Table show the same after the same events.

    in_flight of each node is always the number of its reads that have not ended.
    """

    def __init__(self):
        super().__init__()
        _words, shared = books()
        self.private, self.shared, self.now = LoadBook((Pace,)), shared, 1.0
        self.alive = []     # (a Read of the private book, one of a shared book)

    def tick(self, seconds=0.25):
        self.now += seconds
        return self.now

    def both(self, act, *arguments, turn=0):
        return (getattr(self.private, act)(*arguments),
                getattr(self.shared[turn], act)(*arguments))

    @rule(node=st.sampled_from(NODES), turn=st.integers(0, 1), whole=st.booleans(),
          size_class=st.sampled_from(CLASSES))
    def begin(self, node, turn, whole, size_class):
        self.alive.append(self.both('begin', node, self.tick(), whole, size_class, turn=turn))

    @rule(nodes=st.permutations(NODES), turn=st.integers(0, 1), late=st.sampled_from((0.1, 1.0)))
    def hedge(self, nodes, turn, late):
        first, second = nodes[:2]
        ours, theirs = (hedge.hedge(each, first, second, self.now, self.now - late,
                                    hedge.Delay(late, late))
                        for each in (self.private, self.shared[turn]))
        assert ours == theirs

    @rule(turn=st.integers(0, 1), nodes=st.permutations(NODES), seconds=st.floats(0, 9))
    def choose(self, turn, nodes, seconds):
        self.both('chosen', nodes[0], self.tick(seconds), nodes[1:], turn=turn)

    @rule(turn=st.integers(0, 1), node=st.sampled_from(NODES), number=st.floats(0, 1))
    def connect(self, turn, node, number):
        if node in self.private.snapshot().loads:   # a forgotten one is unknown
            self.both('connected', node, number, self.tick(), turn=turn)
            self.both('failed', node, number < 0.5, turn=turn)

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), act=st.sampled_from(
        ['sent', 'head', 'wait', 'chunk', 'part_done', 'first_byte_came', 'reported']))
    def go_on(self, data, act):
        # an index: what hypothesis draws it keeps, and a dropped read must be free to go
        reads = self.alive[data.draw(st.integers(0, len(self.alive) - 1))]
        now = self.tick()
        arguments = {'chunk': (4096, now), 'part_done': (), 'reported': (REPORT, now)}
        for read in reads:
            getattr(read, act)(*arguments.get(act, (now,)))

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), how=st.sampled_from(
        ['complete', 'fail', 'refused', 'end', 'close', 'drop']), again=st.booleans())
    def end(self, data, how, again):
        reads = self.alive.pop(data.draw(st.integers(0, len(self.alive) - 1)))
        arguments = {'fail': (True,), 'refused': (self.tick(),)}.get(how, ())
        for read in reads:
            for _ in range(1 + again if how != 'drop' else 0):
                getattr(read, how)(*arguments)

    @rule(turn=st.integers(0, 1), age=st.floats(0, 20))
    def forget(self, turn, age):
        self.both('forget', self.now - age, turn=turn)

    @rule()
    def attend(self):
        for each in self.shared:
            each.attend()

    @invariant()
    def they_show_the_same(self):
        expected = self.private.snapshot()
        for node in NODES:
            load = expected.of(node)
            assert sum(read.node == node for read, _shared in self.alive) == load.in_flight
            assert load.in_flight or load.waiting_since is None
            assert load.waiting_since is None or load.waiting_since <= self.now
        for each in self.shared:
            result = each.snapshot()
            assert expected.loads == result.loads
            assert expected.common == result.common
            assert expected.evidence_of(Pace, NODES) == [
                seen if node in expected.loads else (0, 0, None)
                for node, seen in zip(NODES, result.evidence_of(Pace, NODES), strict=True)]
            asked = each.snapshot(NODES).loads
            assert expected.loads == {node: asked[node] for node in expected.loads}
            for node in expected.loads:
                assert self.private.queued(node) == each.queued(node)
                assert self.private.silence(node, self.now) == each.silence(node, self.now)
                for size_class in CLASSES:
                    assert self.private.tail_time(node, size_class) == each.tail_time(
                        node, size_class)


TestSameBook = SameBook.TestCase
TestSameBook.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_a_snapshot_does_not_change_after_it_was_taken():
    _words, (one, other) = books()
    read = one.begin(SDA, 1.0)
    early, late = other.snapshot([SDA]), other.snapshot([SDA])
    expected, evidence = early.of(SDA), early.evidence_of(Pace, [SDA])
    read.reported(REPORT, 2.0)
    read.first_byte_came(2.0)
    assert (expected, evidence) == (late.of(SDA), late.evidence_of(Pace, [SDA]))
    assert expected != load_of(other)


def test_a_book_counts_reads_of_processes_that_start_later():
    words = Table(buffer())
    one = book(words, 0)
    reads = [one.begin(SDA, 1.0)]
    assert 1 == load_of(one).queued
    reads.append(book(words, 1).begin(SDA, 2.0))
    assert (2, 2, 1.0) == (load_of(one).in_flight, one.queued(SDA), load_of(one).waiting_since)


def test_all_processes_share_one_budget_of_probes():
    _words, (one, other) = books()
    for _order in range(110):
        for each in (one, other):
            each.chosen(SDA, 1.0)
    assert one.snapshot().common[Pace].may_probe
    assert other.snapshot().common[Pace].may_probe
    one.begin(SDA, 1.0)
    one.chosen(SDA, 9.0)                # unasked for long: that was the probe
    assert not other.snapshot().common[Pace].may_probe


def test_all_processes_share_one_budget_of_hedges():
    _words, (one, other) = books()
    for _request in range(21):
        other.begin(SDB, 10.0)
    assert [True, False] == [one.hedges.spend(), other.hedges.spend()]


def test_wiping_a_workers_slot_removes_its_reads_from_in_flight():
    words, (one, other) = books()
    reads = [one.begin(SDA, 1.0), other.begin(SDA, 2.0)]
    words.wipe(0)
    assert (1, 1, 2.0) == (
        load_of(other).in_flight, load_of(other).queued, load_of(other).waiting_since)
    one.attend()                        # its process is not dead
    assert 2 == load_of(other).in_flight
    del reads
    gc.collect()
    assert (0, 0, None) == (
        load_of(other).in_flight, load_of(other).queued, load_of(other).waiting_since)


def test_attend_restores_a_processs_counts_a_few_records_at_a_time(monkeypatch):
    monkeypatch.setattr(shared_book, 'SLICE', 2)
    words, (one, other) = books()
    nodes = [Node('10.0.0.1', 6200, f'sd{number}') for number in range(5)]
    reads = [one.begin(node, 1.0) for node in nodes]
    words.wipe(0)
    for seen in ([1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]):
        one.attend()
        assert seen == [load_of(other, node).in_flight for node in nodes]
    words.wipe(0)
    one.attend()                        # from the first again
    assert [1, 1, 0, 0, 0] == [load_of(other, node).in_flight for node in nodes]
    for read in reads:
        read.end()


def test_attend_retries_to_insert_devices_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(shared_book, 'SLICE', 2)
    tried = []
    words = Table(buffer(), lambda at, length: tried.append(at))
    one = book(words)
    for number in range(5):
        one.begin(Node('10.0.0.1', 6200, f'sd{number}'), 1.0)
    for expected in (2, 2, 1, 2):
        tried.clear()
        one.attend()
        assert expected == len(tried)


def test_of_all_evidence_processes_share_only_that_of_class_pace():
    words = Table(buffer())
    one, other = (book(words, slot, (Probe,)) for slot in (0, 1))
    one.begin(SDA, 1.0).first_byte_came(1.5)
    assert load_of(one).evidence[Probe].latency == 0.5
    assert load_of(other).evidence[Probe] is None
    one.chosen(SDA, 2.0)                # an event for Probe only
    assert load_of(one).evidence[Probe].in_flight == 1
    assert {Probe, Pace} == set(load_of(other).evidence)


def test_a_device_not_yet_in_the_table_has_a_private_record():
    words = Table(buffer())
    busy, other = book(words, 0, alone=False), book(words, 1)
    read = busy.begin(SDA, 1.0)
    assert (1, {SDA}) == (load_of(busy).in_flight, busy.private)
    assert other.snapshot([SDA]).loads == {}
    busy.attend()
    assert busy.private == {SDA}
    busy._alone = other._alone
    busy.attend()
    assert (set(), 0) == (busy.private, load_of(busy).in_flight)
    read.complete()                     # of the record it began with
    busy.begin(SDA, 2.0).complete()
    assert 1 == load_of(other).successes


def test_a_device_read_by_two_processes_has_one_shared_record():
    words = Table(buffer())
    one, other = book(words, 0, alone=False), book(words, 1)
    one.begin(SDA, 1.0)
    other.begin(SDA, 1.0).complete()
    one.begin(SDB, 1.0)                 # reads the table again
    assert ({SDB}, 1) == (one.private, words.count)
    assert 1 == load_of(one).successes


def test_devices_beyond_a_full_table_have_private_records():
    words, (one, other) = books(capacity=1)
    reads = [one.begin(node, 1.0) for node in NODES]
    for _time in range(2):
        one.attend()
        assert ({SDB, SDC}, 1) == (one.private, words.count)
    assert [1, 1, 1] == [load_of(one, node).in_flight for node in NODES]
    assert [1, 0, 0] == [load_of(other, node).in_flight for node in NODES]
    for read in reads:
        read.end()
    one.forget(2.0)
    assert ({}, set()) == (one.snapshot().loads, one.private)
