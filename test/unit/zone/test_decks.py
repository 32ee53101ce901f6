"""Decks follow Instructions, and what they deal is counted over all of them."""
import random

import pytest
from support.zone_options import SHARES, instruction, zone_options

from swift_lb.zone.decks import LINE, Decks
from swift_lb.zone.records import AAAA, FAMILIES, A

TTL = 60


def decks_of(told=None, resolvers=0, now=0.0, **changes):
    """Return Decks that have looked at an Instruction."""
    decks = Decks(zone_options(**changes), 0.0, random.Random(1))
    decks.refresh(told)
    decks.shuffle(TTL, resolvers, now)
    return decks


def test_counts_of_answers_by_backend_match_the_shares():
    decks = decks_of(instruction())
    for _time in range(1000):
        decks.of(A).deal()
    decks.fold()
    assert {(A, name): 2000 * share for name, share in SHARES.items()} == pytest.approx(
        {key: value for key, value in decks.expected.items() if key[0] == A})
    assert sum(decks.given.values()) == 2000
    for name in SHARES:
        assert abs(decks.given[A, name] - decks.expected[A, name]) < 5


def test_each_answer_is_counted_once_when_decks_are_replaced():
    decks = decks_of(instruction())
    decks.of(A).deal()
    for _time in range(3):
        decks.fold()
        decks.shuffle(TTL, 0, 1.0)
    assert 2 == sum(decks.given.values()) == pytest.approx(sum(decks.expected.values()))


def test_answers_go_on_in_sequence_when_they_are_prepared_anew():
    decks, whole = decks_of(instruction()), decks_of(instruction())
    cards = []
    for _time in range(50):
        decks.shuffle(TTL, 0, 0.0)
        cards.append(decks.of(A).deal())
    assert [whole.of(A).deal() for _time in range(50)] == cards


def test_shares_hold_when_the_order_of_backends_changes():
    """Neighbours change each LINE TTLs; the count of each stays within a few of what is due."""
    decks = decks_of(instruction())
    for time in range(200):
        decks.shuffle(TTL, 0, time * LINE * TTL)
        for _time in range(10):
            decks.of(A).deal()
    decks.fold()
    for name in SHARES:     # 200 lines of 10 answers: each is off by 1 or so, as it comes
        assert abs(decks.given[A, name] - decks.expected[A, name]) < 60


def test_the_order_of_backends_is_shuffled_every_10_ttls():
    decks = decks_of()
    lines = []
    for time in range(3 * LINE + 1):
        decks.shuffle(TTL, 0, time * TTL)
        lines.append(list(decks.of(A).chances))
    assert lines[0] == lines[LINE - 1]
    assert lines[LINE:2 * LINE] == [lines[LINE]] * LINE
    assert len({tuple(line) for line in lines}) > 1


def names_in(decks, family=A, times=50):
    """Return the backends in that many answers."""
    return {name for _time in range(times) for name in decks.of(family).deal().backends}


@pytest.mark.parametrize('mode', ['membership', 'ordered', 'single', 'all', 'auto'])
def test_a_draining_backend_is_in_no_answer(mode):
    decks = decks_of(instruction(), mode=mode)
    assert {*SHARES} == names_in(decks)
    assert not decks.refresh(instruction(states={'n1': 'draining'}))
    decks.shuffle(TTL, 0, 0.0)
    assert {'n2', 'n3', 'n4'} == names_in(decks)
    assert decks.refresh(instruction(states={'n1': 'late'}))


def test_the_ipv6_deck_has_only_backends_with_an_ipv6_address():
    some = {'n1': ('192.0.2.1', None), 'n2': ('192.0.2.2', '2001:db8::2'),
            'n3': (None, '2001:db8::3')}
    decks = decks_of(instruction(), proxies=some)
    assert ({'n1', 'n2'}, {'n2', 'n3'}) == (names_in(decks), names_in(decks, AAAA))
    decks.refresh(instruction(states={'n1': 'late', 'n2': 'late'}))
    decks.shuffle(TTL, 0, 0.0)
    assert {'n1', 'n2'} == names_in(decks)      # none is left of the family: all
    assert {'n3'} == names_in(decks, AAAA)
    assert (True, False) == tuple(decks.targets[family].all_in for family in FAMILIES)


def test_mode_auto_answers_with_all_until_enough_resolvers_ask():
    decks = decks_of(instruction(), mode='auto')
    assert ({A: 'all', AAAA: 'all'}, False) == (decks.modes, decks.is_outgrown(1))
    assert decks.is_outgrown(100)
    decks.shuffle(TTL, 100, 1.0)
    assert ({A: 'membership', AAAA: 'membership'}, False) == (decks.modes, decks.is_outgrown(100))
    assert decks.is_outgrown(1)
