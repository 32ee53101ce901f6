"""How often one of several equal policies wins by chance: counted, and simulated."""
import itertools
import random
from fractions import Fraction

import pytest
from bench.paper_claims.duels import NO, OPEN, YES, duel_with_best, first_by_luck

from swift_lb.experiment.runs import span

OTHERS = ('a', 'b', 'c', 'd')
WORKERS = range(11)


def orders(counts):
    """Yield every order of runs, a tuple of policy numbers in which n occurs counts[n] times."""
    if not any(counts):
        yield ()
    for number, count in enumerate(counts):
        if count:
            for rest in orders((*counts[:number], count - 1, *counts[number + 1:])):
                yield (number, *rest)


def part_with_one_ahead(runs, others, many):
    """Return the Fraction of orders in which one of `many` has all `runs` before policy 0's."""
    every = [*orders((others, *[runs] * many))]
    ahead = sum(any(order[:order.index(0)].count(number) == runs for number in range(1, many + 1))
                for order in every)
    return Fraction(ahead, len(every))


@pytest.mark.parametrize(('runs', 'others', 'many'), [
    (1, 1, 1), (3, 3, 1), (1, 1, 4), (2, 2, 2), (2, 2, 3), (2, 3, 2), (3, 2, 2), (1, 2, 3)])
def test_the_chance_that_luck_wins_equals_a_count_of_permutations(runs, others, many):
    assert float(part_with_one_ahead(runs, others, many)) == first_by_luck(runs, others, many)


def test_a_chance_win_is_likelier_for_the_best_of_more_policies():
    chances = [first_by_luck(2, 2, many) for many in range(1, 61)]
    assert pytest.approx([1 / 6, 4 / 15], abs=1e-9) == chances[:2]
    assert 0.387 == pytest.approx(chances[3], abs=0.001)
    assert all(less < more < 1 for less, more in itertools.pairwise(chances))


def evaluation(rng, repeats, slower=1.0):
    """Return {workers: (RunSpan of a policy `slower` times slower, {other policy: RunSpan})}."""
    def runs(factor=1.0):
        return span([factor * rng.lognormvariate(0, 0.2) for _ in range(repeats)])
    return {workers: (runs(slower), {label: runs() for label in OTHERS}) for workers in WORKERS}


@pytest.mark.parametrize('most', [False, True])
@pytest.mark.parametrize('repeats', [1, 2, 3])
def test_equal_policies_are_rarely_judged_different(repeats, most):
    rng = random.Random(7)
    results = [duel_with_best(evaluation(rng, repeats), most)[0].verdict for _ in range(1000)]
    assert results.count(YES) <= 50      # SELDOM
    assert results.count(NO) <= 50
    assert results.count(OPEN) >= 900


def test_a_real_difference_between_policies_is_detected():
    rng = random.Random(7)
    results = [duel_with_best(evaluation(rng, 3, slower=2.0))[0].verdict for _ in range(20)]
    assert [NO] * 20 == results
    results = [duel_with_best(evaluation(rng, 3, slower=0.3))[0].verdict for _ in range(20)]
    assert [YES] * 20 == results


def test_chance_wins_are_computed_for_the_fewest_repeats():
    own, one, many = span([9.0, 9.1]), span([1.0]), span([5.0, 5.1, 5.2])
    result, winners = duel_with_best({4: (own, {'a': many, 'b': one})})
    assert first_by_luck(1, 2, 2) == result.behind_by_luck
    assert first_by_luck(1, 2) == result.ahead_by_luck
    assert '; b at 4' == winners
