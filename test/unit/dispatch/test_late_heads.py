"""Heads are late after their p95 and a round trip, and at most 2 % of the reads are hedged."""
import random

from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.late_heads import LateHeads
from swift_lb.load.hedge import CAP


def heads(reads, seconds=0.01):
    """Return LateHeads after so many reads of `small`, whose heads took `seconds`."""
    known = LateHeads()
    for _read in range(reads):
        known.earn()
        known.add('small', seconds)
    return known


def test_no_read_is_late_while_no_head_of_its_class_has_come():
    known = heads(500)
    assert known.late_after('small', 0.0) is not None
    assert known.late_after('large', 0.0) is None


def test_five_heads_in_a_hundred_come_later_than_the_p95():
    known, rng, later = heads(200), random.Random(1), 0
    for _read in range(20_000):
        seconds = rng.expovariate(100.0)
        later += seconds > known.late_after('small', 0.0)
        known.add('small', seconds)
    assert 0.04 <= later / 20_000 <= 0.06


@given(st.floats(0.0, 10.0))
def test_a_read_waits_for_the_round_trip_to_the_other_cluster_too(rtt):
    known = heads(500)
    assert known.late_after('small', rtt) == known.late_after('small', 0.0) + rtt


@given(st.lists(st.booleans(), max_size=2000))
def test_at_most_two_reads_in_a_hundred_are_hedged(tries):
    known, spent = LateHeads(), 0
    for wants in tries:
        known.earn()
        spent += wants and known.spend()
    assert spent <= 0.02 * len(tries) + 1e-9


def test_without_a_token_no_read_is_late():
    known = heads(10_000)
    assert [True] * int(CAP) + [False] == [known.spend() for _time in range(int(CAP) + 1)]
    assert known.late_after('small', 0.0) is None
