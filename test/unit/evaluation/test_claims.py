"""Verdicts are worked out from the data, whichever way they point."""
import pytest
from support.evaluation_cells import cell, plan

from swift_lb.evaluation import claims
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.results import Results, Span
from swift_lb.evaluation.verdict import NO, OPEN, PARTLY, UNKNOWN, YES, duel

POLICIES = ('lb_rlt', 'lb_rlt@read', 'shuffle', 'last_throughput', 'swift:shuffle', 'swift:timing',
            'weighted')


def near(mean):
    return Span(mean, mean - 0.1, mean + 0.1)


@pytest.mark.parametrize(('pairs', 'verdict'), [
    ({1: (1, 2), 2: (1, 2)}, YES),
    ({1: (2, 1), 2: (2, 1)}, NO),
    ({1: (1, 2), 2: (2, 1)}, PARTLY),
    ({1: (1, 1.1), 2: (1.1, 1)}, OPEN),
    ({}, UNKNOWN),
    ({**dict.fromkeys(range(10), (1, 1)), 11: (1, 2), 12: (2, 1)}, OPEN),  # by chance
])
def test_two_policies_are_told_apart_by_their_repeats(pairs, verdict):
    spans = {workers: (near(one), near(other)) for workers, (one, other) in pairs.items()}
    assert duel(spans).verdict == verdict


def verdicts(time_of=lambda step: 0.02, failing=lambda step: 0, shares_of=lambda step: (1, 1, 1),
             throughput_of=lambda step: 10.0, policies=POLICIES):
    """Return {claim's text: Claim} of cells made by the four functions of their step."""
    a_plan = plan(policies=policies, proxy_workers=(2, 1, 8))
    found = Results(a_plan, [
        cell(step, time_of(step) * (1 + step.repeat / 1000), shares_of(step), failing(step),
             throughput_of(step)) for step in steps(a_plan)])
    return {claim.text: claim for claim in claims.test(found, [1])}


def verdict_of(found, words):
    """Return the verdict of the one claim that begins with `words`."""
    [claim] = [claim for text, claim in found.items() if text.startswith(words)]
    return claim.verdict


def only(policy, value, other):
    """Return a function of a step: `value` for `policy`, else `other`."""
    return lambda step: value if step.policy == policy else other


LOWEST = 'LB-RLT has the lowest mean response time, 4KB'


@pytest.mark.parametrize(('seconds', 'verdict'), [(0.01, YES), (0.03, NO), (0.02, OPEN)])
def test_the_lowest_response_time(seconds, verdict):
    assert verdict_of(verdicts(only('lb_rlt', seconds, 0.02)), LOWEST) == verdict


def test_lowest_here_and_highest_there_is_partly():
    found = verdicts(lambda step: 0.02 * (0.5 if step.workers == 1 else 2)
                     if step.policy == 'lb_rlt' else 0.02)
    assert verdict_of(found, LOWEST) == PARTLY


@pytest.mark.parametrize(('seconds', 'verdict'), [(0.01, YES), (0.03, NO)])
def test_sooner_on_average_names_the_papers_number(seconds, verdict):
    found = verdicts(only('lb_rlt', seconds, 0.02))
    text = 'On average LB-RLT answers sooner than the best of the others, 4KB'
    assert verdict_of(found, text) == verdict
    assert any('11.58 %' in claim for claim in found)


@pytest.mark.parametrize(('failing', 'verdict'), [
    (lambda step: step.workers == 64 and step.policy != 'lb_rlt', YES),
    (lambda step: step.workers == 64 and step.policy == 'lb_rlt', NO),
    (lambda step: False, PARTLY),
])
def test_who_answers_everything_longest(failing, verdict):
    found = verdicts(failing=lambda step: int(failing(step)))
    assert verdict_of(found, 'LB-RLT answers everything up to more workers than any other, 4KB') \
        == verdict


@pytest.mark.parametrize(('rate', 'verdict'), [(20.0, YES), (5.0, NO), (10.0, OPEN)])
def test_the_greatest_throughput(rate, verdict):
    found = verdicts(throughput_of=only('lb_rlt', rate, 10.0))
    assert verdict_of(found, 'With the most workers LB-RLT has the greatest throughput of reads, '
                             '4KB') == verdict


@pytest.mark.parametrize(('seconds', 'verdict'), [(0.01, NO), (0.03, YES), (0.02, YES)])
def test_connect_times_are_no_better_than_chance(seconds, verdict):
    found = verdicts(only('swift:timing', seconds, 0.02))
    assert verdict_of(found, 'Connect times order no better than chance: swift:timing against '
                             'swift:shuffle, 4KB') == verdict


@pytest.mark.parametrize(('shares', 'verdict'), [((0, 9, 1), YES), ((1, 1, 1), NO)])
def test_herding_is_told_for_each_number_of_proxy_workers(shares, verdict):
    found = verdicts(shares_of=lambda step: shares if step.proxy_workers == 1
                     and step.policy == 'lb_rlt' else (1, 1, 1))
    assert verdict_of(found, 'LB-RLT herds: lb_rlt, 1 worker process a proxy') == verdict
    assert verdict_of(found, 'LB-RLT herds: lb_rlt, 8 worker processes a proxy') == NO
    assert verdict_of(found, 'LB-RLT herds: lb_rlt@read, 1 worker process a proxy') == NO


@pytest.mark.parametrize(('few', 'many', 'verdict'), [
    ((0, 5, 5), (2, 4, 4), YES), ((0, 5, 5), (0, 5, 5), PARTLY), ((1, 1, 1), (1, 1, 1), NO)])
def test_the_slow_node_is_left_alone_and_then_used(few, many, verdict):
    found = verdicts(shares_of=lambda step: few if step.workers == 1 else many)
    assert verdict_of(found, 'LB-RLT leaves the slow node alone at first') == verdict


@pytest.mark.parametrize(('shares', 'verdict'), [((1, 1, 1), YES), ((0, 5, 5), NO)])
def test_equal_shares(shares, verdict):
    found = verdicts(shares_of=lambda step: shares)
    assert verdict_of(found, 'LB-RL shares the reads out almost equally') == verdict


@pytest.mark.parametrize(('seconds', 'verdict'), [(0.01, NO), (0.03, YES), (0.02, YES)])
def test_our_shuffle_is_held_against_swifts(seconds, verdict):
    found = verdicts(only('swift:shuffle', seconds, 0.02))
    assert verdict_of(found, 'swift-lb\'s shuffle is no slower than Swift\'s own, 4KB') == verdict


@pytest.mark.parametrize('policies', [('shuffle',), ('lb_rlt',), ('swift:timing', 'weighted')])
def test_of_what_was_not_measured_nothing_is_claimed(policies):
    found = verdicts(policies=policies)
    assert not [text for text in found if 'lowest' in text]


def test_of_no_cells_nothing_is_claimed():
    for claim in claims.test(Results(plan(), []), [1]):
        assert claim.verdict == UNKNOWN or claim.evidence
