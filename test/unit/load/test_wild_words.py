"""A shared LoadBook with any value in any 8-byte word: nothing raises, and no node is lost."""
import json
import math
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.load.shared import NODES, SLOTS, book, buffer

from swift_lb.load import table
from swift_lb.load.pace import (
    BLANK,
    FAILURE,
    FURTHER_SECONDS,
    FURTHER_WEIGHT,
    PACE_WORDS,
    SECONDS,
    SERVICE_TIME,
    UNKNOWN_PACE,
    WEIGHT,
    FleetPace,
    Pace,
)
from swift_lb.load.request_table import RequestCounts, totals
from swift_lb.load.shared_record import loads
from swift_lb.load.table import Table
from swift_lb.model import DeviceReport
from swift_lb.policy import POLICIES, kinds_of, make_policy
from swift_lb.replica_options import ReplicaOptions

REPORT = DeviceReport(3, 0.02)
WILD = [struct.pack('=d', value) for value in (
    math.nan, math.inf, -math.inf, 1e308, -1e308, 1e9, -1.0, 5e-324, -5e-324)] + [
        struct.pack('=Q', value) for value in (0, 1, 2 ** 32, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1)]
HEADER = range(table.PIDS + SLOTS + 1)
RECORD = range(table.NAME_WORDS + table.FIELDS + table.PER_SLOT * SLOTS)
REQUESTS = range(table.HEADER, table.records_at(SLOTS), table.WORD)
PLACES = [*(word * table.WORD for word in HEADER), *REQUESTS,
          *(table.records_at(SLOTS) + word * table.WORD for word in RECORD)]


class Host:
    """Two LoadBooks, as of two processes, on one Table; all NODES but the last have been read."""

    def __init__(self, policy):
        self.policy, self.rng = make_policy(ReplicaOptions(policy=policy)), random.Random(1)
        self.words, kinds = Table(buffer()), kinds_of([policy])
        self.one, self.other = (book(self.words, slot, kinds) for slot in (0, 1))
        self.requests = [RequestCounts(self.words, slot) for slot in (0, 1)]
        self.in_flight = []
        for node in NODES[:-1]:
            read = self.one.begin(node, 99.0)
            read.reported(REPORT, 99.5)
            read.chunk(4096, 99.5)
            read.complete()
            self.in_flight.append(self.one.begin(node, 99.6))

    def spoil(self, place, value):
        """Overwrite the table's word at the byte offset `place` with the 8 bytes `value`."""
        self.words.bytes[place:place + table.WORD] = value

    def orders(self, now):
        """Order and explain NODES; return a list of their reads in flight, in NODES' order."""
        snapshot = self.other.snapshot(NODES)
        best = self.policy.order(NODES, snapshot, now, self.rng)
        assert sorted(NODES) == sorted(best)
        self.other.chosen(best[0], now, best[1:])
        if hasattr(self.policy, 'limits'):
            limits = self.policy.limits(best, snapshot, now)
            assert all(limit >= 0.0 for limit in limits.values())
        for node in NODES:
            self.policy.explain(node, NODES, snapshot, now)
            self.policy.knows(node, snapshot, now)
        return [snapshot.of(node).in_flight for node in NODES]

    def expected(self, nodes, now):
        return self.policy.expected(nodes, self.other.snapshot(nodes), now)

    def reads(self, now):
        """Begin five reads of each node, and end them in every way in which a read can end."""
        for node in NODES:
            begun = [self.other.begin(node, now) for _ in range(5)]
            self.other.connected(node, 0.001, now)
            self.other.failed(node, True)
            for read in begun[:4]:
                read.sent(now)
                read.reported(REPORT, now)
            for read in begun[:2]:
                read.head(now)
                read.wait(now)
                read.chunk(4096, now + 0.5)
            begun[0].complete()
            begun[1].close()
            begun[2].first_byte_came(now + 0.5)
            begun[3].fail(False)
            begun[4].fail(True)
        for counts in self.requests:
            counts.begin()
            counts.head(0.5)
            counts.end()

    def attends(self, now):
        """Do a worker's work of once a second, and read what status pages show, as JSON."""
        for each in (self.one, self.other):
            each.attend()
            each.forget(now - 50.0)
        snapshot = self.other.snapshot()
        for load in [*snapshot.loads.values(), *dict(loads(self.words, range(SLOTS))).values()]:
            json.dumps([*load[:10], load.reported_at], allow_nan=False)
        self.words.workers()
        json.dumps(totals(self.words.bytes), allow_nan=False)

    def live(self, now, *parts):
        """Call the methods `parts`, by default all, the first at `now`, then one each second."""
        for part in parts or ('orders', 'reads', 'attends', 'orders'):
            getattr(self, part)(now)
            now += 1.0


@pytest.mark.parametrize('policy', POLICIES)
def test_the_load_book_survives_any_value_of_any_shared_word(policy):
    for place in PLACES:
        for value in WILD if policy == 'adaptive' else WILD[::4]:
            host = Host(policy)
            host.spoil(place, value)
            host.live(100.0)


@pytest.mark.parametrize('value', [0.0, -1.0, -0.5, -math.inf, math.inf, math.nan, 1e308, -1e308])
@pytest.mark.parametrize('word', [SECONDS, WEIGHT, SERVICE_TIME, FURTHER_SECONDS, FURTHER_WEIGHT])
def test_an_impossible_word_makes_no_device_look_faster(word, value):
    host = Host('adaptive')
    read = host.one.begin(NODES[0], 99.7)
    for number in range(9):
        read.wait(99.7 + number / 10)
        read.chunk(65536, 99.8 + number / 10)
    read.complete()
    assert host.expected(NODES[:2], 101.0)[0].rest == pytest.approx(0.003, abs=0.001)
    host.spoil(table.records_at(SLOTS) + (table.NAME_WORDS + table.PACE + word) * table.WORD,
               struct.pack('=d', value))
    for each in host.expected(NODES[:2], 101.0):
        assert 0.9 * REPORT.service_time <= each.service <= 0.13    # report, mean
        assert each.service <= each.cost < 10.0
        assert 0.0 <= each.rest < 0.01


@settings(max_examples=100)
@given(st.data(), st.sampled_from([*POLICIES]))
def test_the_load_book_survives_many_damaged_words_at_once(data, policy):
    host, now = Host(policy), 100.0
    for _ in range(4):
        for place in data.draw(st.lists(st.sampled_from(PLACES), max_size=12)):
            host.spoil(place, data.draw(st.sampled_from(WILD) | st.binary(min_size=8, max_size=8)))
        host.live(now, *data.draw(st.lists(st.sampled_from(['orders', 'reads', 'attends']))))
        now += 10.0


@pytest.mark.parametrize('value', WILD)
def test_a_damaged_record_shows_0_in_flight_after_its_reads_end(value):
    for word in range(table.FIELDS):
        host = Host('adaptive')
        host.spoil(table.records_at(SLOTS) + (table.NAME_WORDS + word) * table.WORD, value)
        host.live(100.0, 'orders', 'reads')
        del host.in_flight[:]
        host.one.attend()
        host.other.attend()
        assert [0, 0, 0] == host.orders(110.0)


@pytest.mark.parametrize('value', WILD)
def test_attend_restores_the_damaged_in_flight_counts_of_nodes(value):
    for word in range(2 * table.PER_SLOT):      # of the two that live
        host = Host('adaptive')
        host.orders(99.0)
        row = table.NAME_WORDS + table.FIELDS
        host.spoil(table.records_at(SLOTS) + (row + word) * table.WORD, value)
        host.one.attend()
        host.other.attend()
        assert [1, 1, 0] == host.orders(100.0)


@pytest.mark.parametrize('word', [table.COUNT, table.USED])
@pytest.mark.parametrize('value', [0, 1, 2 ** 63])
def test_a_damaged_count_of_records_loses_no_record(word, value):
    host = Host('adaptive')
    host.orders(99.0)
    host.words.integers[word] = value
    host.one.attend()
    host.other.attend()
    host.one.begin(NODES[-1], 100.0).complete()
    assert [1, 1, 0] == host.orders(101.0)
    assert NODES[:2] == [host.words.name(index) for index in (0, 1)]
    assert [0, 1] == host.words.slots_in_use()


class ForgottenMeanwhile(list):
    """A record's words, which another process blanks before access number `left` from now."""

    left = 0

    def __getitem__(self, field):
        self._forget()
        return super().__getitem__(field)

    def __setitem__(self, field, value):
        self._forget()
        super().__setitem__(field, value)

    def _forget(self):
        self.left -= 1
        if not self.left:
            super().__setitem__(slice(None), BLANK)


@pytest.mark.parametrize('act', [
    lambda pace: pace.began(10.0, 1), lambda pace: pace.answered(9.0, 1, 10.0),
    lambda pace: pace.reported(DeviceReport(3, 0.01), 1, 10.0), lambda pace: pace.refused(10.0),
    lambda pace: pace.failed(True), lambda pace: pace.streamed(3, 0.1, 10.0)])
def test_a_service_time_stays_valid_if_others_blank_its_record(act):
    for reading in range(1, 40):
        words = ForgottenMeanwhile(BLANK)
        pace = Pace(FleetPace(), words)
        for number in range(20):
            pace.began(number * 0.1, 0)
            pace.reported(DeviceReport(2, 0.01), 0, number * 0.1)
            pace.answered(0.01, 0, number * 0.1)
        pace.failed(True)
        pace.streamed(3, 0.1, 2.0)
        pace.began(9.0, 0)          # a probe; the next failure counts
        words.left = reading
        act(pace)
        seconds = list(words)[SECONDS]
        assert 0.0 <= seconds <= FAILURE
        words.left = 0
        pace.answered(0.02, 0, 10.0)
        assert 0.01 <= list(words)[SECONDS]     # no mean of 0 has remained


@pytest.mark.parametrize('word', [table.PACE + field for field in range(PACE_WORDS)])
def test_attend_blanks_the_measurements_of_a_damaged_record(word):
    host = Host('adaptive')
    host.spoil(table.records_at(SLOTS) + (table.NAME_WORDS + word) * table.WORD, WILD[4])
    assert UNKNOWN_PACE == host.other.snapshot(NODES).of(NODES[0]).evidence[Pace]    # not shown
    host.other.attend()
    (queued, _streaming, pace), *_rest = host.other.snapshot(NODES).evidence_of(Pace, NODES)
    assert (1, UNKNOWN_PACE) == (queued, pace)


def test_a_damaged_record_still_shows_its_reads_in_flight():
    words = Table(buffer())
    one, other = (book(words, slot) for slot in (0, 1))
    read = one.begin(NODES[0], 8000.0)
    words.words(0)[0][table.TOUCHED_AT] = 0.0       # another process is about to forget it
    assert 1 == other.snapshot(NODES).of(NODES[0]).in_flight
    other.attend()
    assert 1 == other.snapshot().loads[NODES[0]].in_flight
    read.end()
