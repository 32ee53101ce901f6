"""The modes of DNS answers: which backends are in an answer, and in which order."""
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.zone_options import SHARES

from swift_lb.zone.sampling import Places
from swift_lb.zone.sequence import AUTO, MODES, mode_for

DRAWS = 4000
FOUR_SIGMA = 0.032      # of a fraction of DRAWS that come by chance: 4 sqrt(0.25 / 4000)
VECTORS = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=20).map(lambda weights: {
    f'n{number}': weight / sum(weights) for number, weight in enumerate(weights)})
every_mode = pytest.mark.parametrize('mode', MODES)


def sequence_of(mode, shares=None, most=14, places=None, seed=1):
    """Return the sequence of answers of `mode` for `shares`; a backend's record is its name."""
    shares, rng = SHARES if shares is None else shares, random.Random(seed)
    records = {name: name.encode() for name in shares}
    return MODES[mode](shares, records, places or Places(0.0, rng), rng, most)


def answers_of(sequence, times=DRAWS):
    """Return [PreparedAnswer]: the next `times` of a sequence."""
    return [sequence.next_answer() for _time in range(times)]


def part(answers, chosen):
    """Return {name: fraction of `answers` whose `chosen(answer)` has it}, without zeros."""
    counter = Counter(name for answer in answers for name in chosen(answer))
    return {name: count / len(answers) for name, count in counter.items()}


@every_mode
@given(VECTORS)
def test_an_answer_has_the_records_of_its_backends(mode, shares):
    sequence = sequence_of(mode, shares)
    for answer in answers_of(sequence, 20):
        backends, records = answer.backends, answer.records
        assert len({*backends}) == len(backends) == len(records) == sequence.size
        assert b''.join(answer.records) == answer.wire
        assert sorted(answer.records) == sorted(name.encode() for name in answer.backends)


@every_mode
@given(VECTORS)
def test_each_answer_is_counted_once(mode, shares):
    sequence = sequence_of(mode, shares)
    answers = answers_of(sequence, 50)
    counted = Counter()
    for answer, times in sequence.counts():
        counted.update(dict.fromkeys(answer.backends, times))
    assert +counted == Counter(name for answer in answers for name in answer.backends)
    assert not sum(times for _answer, times in sequence.counts())


@given(VECTORS)
def test_mode_membership_answers_with_some_backends_by_share(shares):
    sequence = sequence_of('membership', shares)
    assert sum(sequence.chances.values()) == pytest.approx(sequence.size)
    assert max(sequence.chances.values()) <= 1.0 + 1e-9
    result = part(answers_of(sequence, 500), lambda answer: answer.backends)
    assert result == pytest.approx({name: chance for name, chance in sequence.chances.items()
                                    if name in result}, abs=12 / 500)


LONG_RUN = 0.012        # of a fraction of DRAWS that come by systematic sampling

# The vectors that a check from outside took, and ten of ten backends, drawn by a seed.
RNG = random.Random(16)
LARGE = [[RNG.uniform(1, 10) for _backend in range(10)] for _vector in range(10)]


@pytest.mark.parametrize('weights', [
    [.6, .3, .1], [.8, .15, .05], [.43, .31, .26], [1, 1, 1], [.52, .48], *LARGE])
def test_mode_membership_keeps_shares_in_first_and_any_position(weights):
    shares = {f'n{number}': weight / sum(weights) for number, weight in enumerate(weights)}
    answers = answers_of(sequence_of('membership', shares))
    first = Counter(answer.backends[0] for answer in answers)
    in_any = Counter(name for answer in answers for name in answer.backends)
    for name, share in shares.items():
        assert abs(first[name] / DRAWS - share) < LONG_RUN
        assert abs(in_any[name] / in_any.total() - share) < LONG_RUN


@given(VECTORS)
def test_mode_single_answers_with_each_backend_by_its_share(shares):
    sequence = sequence_of('single', shares)
    assert shares == sequence.chances
    result = part(answers_of(sequence, 500), lambda answer: answer.backends)
    for name, share in shares.items():
        assert result.get(name, 0.0) == pytest.approx(share, abs=0.05)


def test_mode_ordered_puts_a_backend_first_as_often_as_its_share():
    answers = answers_of(sequence_of('ordered'))
    assert {4} == {len(answer.records) for answer in answers}
    first = part(answers, lambda answer: [answer.records[0].decode()])
    assert SHARES == pytest.approx(first, abs=FOUR_SIGMA)
    second = part([answer for answer in answers if answer.records[0] == b'n1'],
                  lambda answer: [answer.records[1].decode()])
    # of some 1600 answers: the fraction is off by 0.05 at most
    assert {'n2': 1 / 2, 'n3': 1 / 3, 'n4': 1 / 6} == pytest.approx(second, abs=0.05)


def test_mode_all_puts_each_backend_first_equally_often():
    answers = answers_of(sequence_of('all'))
    assert {4} == {len(answer.records) for answer in answers}
    first = part(answers, lambda answer: [answer.records[0].decode()])
    assert dict.fromkeys(SHARES, 0.25) == pytest.approx(first, abs=FOUR_SIGMA)


@pytest.mark.parametrize('mode', ['ordered', 'all'])
def test_in_modes_ordered_and_all_the_seed_decides_the_answers(mode):
    one, same, other = (answers_of(sequence_of(mode, seed=seed), 20) for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize('mode', ['membership', 'single'])
def test_a_new_sequence_of_answers_goes_on_where_the_old_ended(mode):
    answers = answers_of(sequence_of(mode), 30)
    places = Places(0.0, random.Random(1))
    parts = [answers_of(sequence_of(mode, places=places), times) for times in (10, 20)]
    assert [*parts[0], *parts[1]] == answers


@pytest.mark.parametrize('mode', MODES)
def test_a_mode_other_than_auto_is_used_as_configured(mode):
    assert mode == mode_for(mode, SHARES, 14, 0)


@given(VECTORS, st.integers(0, 5000))
def test_mode_auto_stays_at_membership_with_more_resolvers(shares, resolvers):
    result = mode_for(AUTO, shares, 14, resolvers)
    assert result in ('all', 'membership')
    if result == 'membership':
        assert 'membership' == mode_for(AUTO, shares, 14, resolvers + 1)


@pytest.mark.parametrize(('shares', 'resolvers', 'mode'), [
    # errors of all: 0.28; of membership: 0.5 / (R x 2 x 0.26), which is less from R = 4 on
    ([0.26, 0.31, 0.43], 3, 'all'), ([0.26, 0.31, 0.43], 4, 'membership'),
    ([0.5, 0.5], 10_000, 'all'), ([1.0], 10_000, 'all'), ([0.9, 0.1], 1, 'all'),
    ([0.9, 0.1], 2, 'membership'),
    ([0.4, 0.3, 0.2, 0.1], 0, 'all'), ([0.4, 0.3, 0.2, 0.1], 10, 'membership'),
    ([1 / 14] * 14, 1000, 'all'), ([1 / 15] * 15, 0, 'membership')])    # so many fit
def test_mode_auto_chooses_by_shares_and_number_of_resolvers(shares, resolvers, mode):
    assert mode == mode_for(AUTO, {str(share) + str(number): share for number, share in enumerate(
        shares)}, 14, resolvers)
