"""AnswerSequences follow Instructions, and count the answers that they give."""
import random

import pytest
from support.zone_options import SHARES, instruction, zone_options

from swift_lb.zone.records import AAAA, FAMILIES, A
from swift_lb.zone.sequences import LINE, AnswerSequences

TTL = 60


def sequences_of(told=None, resolvers=0, now=0.0, **changes):
    """Return AnswerSequences that follow the Instruction `told` with this count of resolvers."""
    sequences = AnswerSequences(zone_options(**changes), 0.0, random.Random(1))
    sequences.refresh(told)
    sequences.shuffle(TTL, resolvers, now)
    return sequences


def test_counts_of_answers_by_backend_match_the_shares():
    sequences = sequences_of(instruction())
    for _time in range(1000):
        sequences.of(A).next_answer()
    sequences.fold()
    assert {(A, name): 2000 * share for name, share in SHARES.items()} == pytest.approx(
        {key: value for key, value in sequences.expected.items() if key[0] == A})
    assert sum(sequences.given.values()) == 2000
    for name in SHARES:
        assert abs(sequences.given[A, name] - sequences.expected[A, name]) < 5


def test_each_answer_is_counted_once_when_sequences_are_replaced():
    sequences = sequences_of(instruction())
    sequences.of(A).next_answer()
    for _time in range(3):
        sequences.fold()
        sequences.shuffle(TTL, 0, 1.0)
    assert 2 == sum(sequences.given.values()) == pytest.approx(sum(sequences.expected.values()))


def test_answers_go_on_in_sequence_when_they_are_prepared_anew():
    sequences, whole = sequences_of(instruction()), sequences_of(instruction())
    answers = []
    for _time in range(50):
        sequences.shuffle(TTL, 0, 0.0)
        answers.append(sequences.of(A).next_answer())
    assert [whole.of(A).next_answer() for _time in range(50)] == answers


def test_shares_hold_when_the_order_of_backends_changes():
    """Backends are reordered every LINE TTLs; each is in as many answers as is due, +-60."""
    sequences = sequences_of(instruction())
    for time in range(200):
        sequences.shuffle(TTL, 0, time * LINE * TTL)
        for _time in range(10):
            sequences.of(A).next_answer()
    sequences.fold()
    for name in SHARES:     # 200 lines of 10 answers: each is off by 1 or so, as it comes
        assert abs(sequences.given[A, name] - sequences.expected[A, name]) < 60


def test_the_order_of_backends_is_shuffled_every_10_ttls():
    sequences = sequences_of()
    lines = []
    for time in range(3 * LINE + 1):
        sequences.shuffle(TTL, 0, time * TTL)
        lines.append(list(sequences.of(A).chances))
    assert lines[0] == lines[LINE - 1]
    assert lines[LINE:2 * LINE] == [lines[LINE]] * LINE
    assert len({tuple(line) for line in lines}) > 1


def names_in(sequences, family=A, times=50):
    """Return the set of backends in the next `times` answers of an address family."""
    return {name for _time in range(times) for name in sequences.of(family).next_answer().backends}


@pytest.mark.parametrize('mode', ['membership', 'ordered', 'single', 'all', 'auto'])
def test_a_draining_backend_is_in_no_answer(mode):
    sequences = sequences_of(instruction(), mode=mode)
    assert {*SHARES} == names_in(sequences)
    assert not sequences.refresh(instruction(states={'n1': 'draining'}))
    sequences.shuffle(TTL, 0, 0.0)
    assert {'n2', 'n3', 'n4'} == names_in(sequences)
    assert sequences.refresh(instruction(states={'n1': 'late'}))


def test_the_ipv6_sequence_has_only_backends_with_an_ipv6_address():
    some = {'n1': ('192.0.2.1', None), 'n2': ('192.0.2.2', '2001:db8::2'),
            'n3': (None, '2001:db8::3')}
    sequences = sequences_of(instruction(), proxies=some)
    assert ({'n1', 'n2'}, {'n2', 'n3'}) == (names_in(sequences), names_in(sequences, AAAA))
    sequences.refresh(instruction(states={'n1': 'late', 'n2': 'late'}))
    sequences.shuffle(TTL, 0, 0.0)
    assert {'n1', 'n2'} == names_in(sequences)      # none is left of the family: all
    assert {'n3'} == names_in(sequences, AAAA)
    assert (True, False) == tuple(sequences.targets[family].all_in for family in FAMILIES)


def test_mode_auto_is_mode_all_until_enough_resolvers_ask():
    sequences = sequences_of(instruction(), mode='auto')
    assert ({A: 'all', AAAA: 'all'}, False) == (sequences.modes, sequences.is_outgrown(1))
    assert sequences.is_outgrown(100)
    sequences.shuffle(TTL, 100, 1.0)
    assert {A: 'membership', AAAA: 'membership'} == sequences.modes
    assert not sequences.is_outgrown(100)
    assert sequences.is_outgrown(1)
