"""Counts of a host's requests in shared memory, a slot a worker; sums outlive a worker."""
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from unit.load.shared import SLOTS, books, buffer

from swift_lb.load import table
from swift_lb.load.request_table import MAX_IN_FLIGHT, MAX_TOTAL, RequestCounts, Totals, totals
from swift_lb.load.table import Table

NAN, INF = math.nan, math.inf


def worker(words, slot):
    """Return the RequestCounts of a process that has just taken `slot` of the Table `words`."""
    words.take(slot, 1000 + slot)
    return RequestCounts(words, slot)


def host(number=2):
    """Return (Table of a host, [RequestCounts of each of its `number` workers])."""
    words = Table(buffer())
    return words, [worker(words, slot) for slot in range(number)]


def spoil(words, slot, word, value):
    """Write `value`, an int or a float, to the word at index `word` of `slot`."""
    struct.pack_into('=d' if isinstance(value, float) else '=Q', words.bytes,
                     table.HEADER + (slot * table.REQUEST_WORDS + word) * table.WORD, value)


@pytest.mark.parametrize('seconds', [NAN, INF, -INF, -0.001, 1e300])
def test_an_answer_with_an_impossible_time_is_not_counted(seconds):
    words, (one, _other) = host()
    one.begin()
    one.head(seconds)
    assert Totals(1, 1, 0, 0.0) == totals(words.bytes)


@pytest.mark.parametrize(('word', 'value', 'expected'), [
    (table.IN_FLIGHT, MAX_IN_FLIGHT, Totals(MAX_IN_FLIGHT + 1, 2, 2, 2.0)),
    (table.IN_FLIGHT, MAX_IN_FLIGHT + 1, Totals(1, 2, 2, 2.0)),
    (table.IN_FLIGHT, 2 ** 64 - 1, Totals(1, 2, 2, 2.0)),
    (table.BEGUN, MAX_TOTAL + 1, Totals(2, 1, 2, 2.0)),
    (table.ANSWERED, 2 ** 64 - 1, Totals(2, 2, 1, 1.0)),
    (table.ANSWER_SECONDS, NAN, Totals(2, 2, 1, 1.0)),
    (table.ANSWER_SECONDS, -1.0, Totals(2, 2, 1, 1.0)),
    (table.ANSWER_SECONDS, INF, Totals(2, 2, 1, 1.0)),
])
def test_an_impossible_word_counts_as_0_until_it_is_rewritten(word, value, expected):
    words, both = host()
    for each in both:
        each.begin()
        each.head(1.0)
    spoil(words, 0, word, value)
    assert expected == totals(words.bytes)
    both[0].publish()
    assert Totals(2, 2, 2, 2.0) == totals(words.bytes)


@given(st.binary(min_size=32, max_size=32), st.integers(0, SLOTS - 1))
def test_totals_of_requests_are_plausible_whatever_the_bytes(found, slot):
    words, _both = host(SLOTS)
    at = table.HEADER + slot * len(found)
    words.bytes[at:at + len(found)] = found
    before = totals(words.bytes)
    assert all(0 <= each <= MAX_TOTAL for each in before)
    after = worker(words, slot)
    assert totals(words.bytes) == before._replace(in_flight=0)
    after.begin()
    assert totals(words.bytes)[:2] == (1, before.begun + 1)


@pytest.mark.parametrize('used', [0, 1, 2 ** 64 - 1])
def test_maintenance_corrects_an_impossible_number_of_workers(used):
    words, (_one, other) = books()
    RequestCounts(words, 1).begin()
    words.integers[table.USED] = used
    assert totals(words.bytes).begun == int(used > 1)
    other.attend()
    assert totals(words.bytes).begun == 1


class Host(RuleBasedStateMachine):
    """Workers start, count and are killed; the live ones wipe the slots of the dead."""

    def __init__(self):
        super().__init__()
        self.words = Table(buffer())
        self.alive, self.dead = {}, set()
        self.begun = self.answered = self.seconds = 0

    @precondition(lambda self: len(self.alive) < SLOTS)
    @rule()
    def come(self):
        slot = min(set(range(SLOTS)) - set(self.alive))
        self.dead.discard(slot)
        self.alive[slot] = worker(self.words, slot)

    def any(self, data):
        return self.alive[data.draw(st.sampled_from(sorted(self.alive)))]

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def begin(self, data):
        self.any(data).begin()
        self.begun += 1

    @precondition(lambda self: self.alive)
    @rule(data=st.data(), seconds=st.integers(0, 9))
    def head(self, data, seconds):
        self.any(data).head(float(seconds))
        self.answered += 1
        self.seconds += seconds

    @precondition(lambda self: any(each.in_flight for each in self.alive.values()))
    @rule(data=st.data())
    def end(self, data):
        self.alive[data.draw(st.sampled_from(sorted(
            slot for slot, each in self.alive.items() if each.in_flight)))].end()

    @precondition(lambda self: self.alive)
    @rule(data=st.data())
    def kill(self, data):
        slot = data.draw(st.sampled_from(sorted(self.alive)))
        del self.alive[slot]
        self.dead.add(slot)

    @rule()
    def wipe(self):
        for slot in self.dead & set(self.words.slots_in_use()):
            self.words.wipe(slot)

    @invariant()
    def the_sums_are_those_of_all_and_in_flight_is_of_the_living(self):
        result = totals(bytes(self.words.bytes), list(self.alive))
        in_flight = sum(each.in_flight for each in self.alive.values())
        assert Totals(in_flight, self.begun, self.answered, self.seconds) == result
        wiped = not self.dead & set(self.words.slots_in_use())
        assert not wiped or result == totals(self.words.bytes)


TestHost = Host.TestCase
TestHost.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
