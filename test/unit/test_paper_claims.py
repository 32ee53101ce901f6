"""The verdicts on the paper's claims follow from the measurements, for and against."""
import pytest
from bench.paper_claims import claims
from bench.paper_claims.__main__ import report
from bench.paper_claims.duels import NO, OPEN, PARTLY, UNKNOWN, YES, duel, enough
from support.evaluation_runs import plan, run_result, run_results

from swift_lb.evaluation.design import steps
from swift_lb.evaluation.results import Results
from swift_lb.evaluation.store import Store
from swift_lb.experiment.runs import RunSpan

POLICIES = ('lb_rlt', 'lb_rlt@read', 'shuffle', 'last_throughput', 'swift:shuffle', 'swift:timing',
            'weighted')


def a_duel(ahead=0, alike=0, behind=0, repeats=3, most=False):
    """Return a Duel; at how many worker counts its first policy is `ahead`, `alike`, `behind`."""
    means = [(1, 2)] * ahead + [(1, 1.1)] * alike + [(2, 1)] * behind
    return duel({workers: tuple(RunSpan(mean, mean - 0.1, mean + 0.1, repeats) for mean in pair)
                 for workers, pair in enumerate(means)}, most)


@pytest.mark.parametrize(('found', 'verdict'), [
    (a_duel(ahead=2), YES), (a_duel(behind=2), NO), (a_duel(alike=2), OPEN), (a_duel(), UNKNOWN),
    (a_duel(ahead=3, behind=3), PARTLY),
    (a_duel(alike=9, ahead=1, behind=1), OPEN),               # by luck
    (a_duel(alike=8, ahead=3), YES), (a_duel(alike=9, ahead=2), OPEN),
    (a_duel(alike=6, ahead=5, repeats=2), YES),               # of two repeats luck has more
    (a_duel(alike=7, ahead=4, repeats=2), OPEN),
    (a_duel(ahead=11, repeats=1), YES), (a_duel(ahead=4, repeats=1), OPEN),
    (a_duel(behind=2, most=True), YES)])
def test_a_duel_of_policies_is_won_only_beyond_chance(found, verdict):
    assert found.verdict == verdict


@pytest.mark.parametrize(('found', 'not_ahead', 'not_behind'), [
    (a_duel(ahead=2), NO, YES), (a_duel(behind=2), YES, NO), (a_duel(alike=2), YES, YES),
    (a_duel(alike=2, repeats=1), OPEN, OPEN),    # no number of wins would have told
    (a_duel(), UNKNOWN, UNKNOWN), (a_duel(ahead=3, behind=3), PARTLY, PARTLY)])
def test_policies_are_judged_equal_only_from_enough_repeats(found, not_ahead, not_behind):
    assert (found.not_ahead, found.not_behind) == (not_ahead, not_behind)


@pytest.mark.parametrize(('every', 'chance', 'least'), [
    (1, 1 / 20, 1), (11, 1 / 20, 3), (2, 1 / 6, 2), (1, 1 / 6, None), (11, 1 / 2, 9),
    (4, 1 / 2, None), (0, 1 / 20, None)])
def test_fewer_wins_suffice_if_a_win_by_chance_is_less_likely(every, chance, least):
    assert enough(every, chance) == least


def verdicts(time_of=lambda step: 0.02, failing=lambda step: 0, shares_of=lambda step: (1, 1, 1),
             throughput_of=lambda step: 10.0, policies=POLICIES, **changes):
    """Return {text: Claim}, judged on runs whose figures the four functions of a step give."""
    a_plan = plan(policies=policies, proxy_workers=(2, 1, 8), **changes)
    results = Results(a_plan, [
        run_result(step, time_of(step) * (1 + step.repeat / 1000), shares_of(step), failing(step),
             throughput_of(step)) for step in steps(a_plan)])
    return {claim.text: claim for claim in claims.judge(results, [1])}


def verdict_of(result, words):
    """Return the verdict of the one claim that begins with `words`."""
    [claim] = [claim for text, claim in result.items() if text.startswith(words)]
    return claim.verdict


def only(policy, value, other):
    """Return a function of a step: `value` for `policy`, else `other`."""
    return lambda step: value if step.policy == policy else other


LOWEST = 'LB-RLT has the lowest mean response time, 4KB'
AVERAGE = 'On average LB-RLT answers sooner than the best of the others, 4KB'


@pytest.mark.parametrize(('claim', 'policy', 'faster', 'equal', 'slower'), [
    (LOWEST, 'lb_rlt', YES, OPEN, NO), (AVERAGE, 'lb_rlt', YES, NO, NO),
    ('LB-RLT has the lowest p99 of all that was measured, 4KB', 'lb_rlt', YES, OPEN, NO),
    ('Connect times order no better than chance: swift:timing against swift:shuffle, 4KB',
     'swift:timing', NO, YES, YES),
    ("swift-lb's shuffle is no slower than Swift's own, 4KB", 'swift:shuffle', NO, YES, YES)])
def test_claims_on_response_times_are_judged_by_mean_times(claim, policy, faster, equal, slower):
    for seconds, verdict in (0.01, faster), (0.02, equal), (0.03, slower):
        assert verdict_of(verdicts(only(policy, seconds, 0.02), repeats=3), claim) == verdict


def test_a_claim_true_at_half_the_worker_counts_is_partly_true():
    result = verdicts(lambda step: 0.02 * (0.5 if step.workers < 8 else 2)
                      if step.policy == 'lb_rlt' else 0.02, workers=(1, 2, 4, 8, 16, 32, 64),
                      repeats=3)
    assert verdict_of(result, LOWEST) == PARTLY


def test_worker_counts_with_failed_reads_are_not_judged():
    result = verdicts(only('lb_rlt', 0.01, 0.02),
                      failing=lambda step: step.policy == 'weighted' and step.workers > 1)
    claim = next(claim for text, claim in result.items() if text.startswith(LOWEST))
    assert claim.verdict == OPEN                  # one number of workers, two repeats
    assert 'ahead at these numbers of workers: 1;' in claim.evidence
    result = verdicts(failing=lambda step: step.policy == 'weighted')
    assert verdict_of(result, LOWEST) == UNKNOWN


def test_the_evidence_names_the_policy_ahead_of_lb_rlt():
    result = verdicts(lambda step: 0.01 if step.policy == 'shuffle' else 0.02)
    claim = next(claim for text, claim in result.items() if text.startswith(LOWEST))
    assert claim.evidence.endswith('behind: 1, 8, 64; shuffle at 1, 8, 64')


def test_the_average_time_claim_is_undecided_if_repeats_differ():
    result = verdicts(lambda step: 0.02 if step.policy != 'lb_rlt' else
                      0.01 if step.repeat == 1 else 0.021)
    assert verdict_of(result, AVERAGE) == OPEN
    assert any('11.58 %' in claim for claim in result)      # the paper's number
    assert verdict_of(verdicts(only('lb_rlt', 0.01, 0.02), repeats=1), AVERAGE) == OPEN


READS = 'LB-RLT reads most objects with success, then LB-RW, 4KB'


@pytest.mark.parametrize(('rates', 'verdict'), [
    ({'lb_rlt': 20.0, 'weighted': 15.0}, YES), ({'lb_rlt': 20.0, 'shuffle': 15.0}, PARTLY),
    ({'weighted': 20.0, 'lb_rlt': 15.0}, NO)])
def test_the_claim_on_objects_read_is_judged_by_throughput(rates, verdict):
    result = verdicts(throughput_of=lambda step: rates.get(step.policy, 10.0))
    assert verdict_of(result, READS) == verdict
    evidence = next(claim.evidence for text, claim in result.items() if text.startswith(READS))
    assert 'lb_rlt 6,000' in evidence or 'lb_rlt 4,500' in evidence    # 300 s of 20/s, of 15/s


def test_the_objects_read_claim_is_undecided_if_repeats_differ():
    result = verdicts(throughput_of=lambda step: 20.0 if step.policy == (
        'lb_rlt' if step.repeat == 1 else 'weighted') else 10.0)
    assert verdict_of(result, READS) == OPEN


@pytest.mark.parametrize(('failing', 'verdict'), [
    (lambda step: step.workers == 64 and step.policy != 'lb_rlt', YES),
    (lambda step: step.workers == 64 and step.policy == 'lb_rlt', NO),
    (lambda step: step.workers == 64, PARTLY),
    (lambda step: False, OPEN),       # nothing failed anywhere: no end was seen
])
def test_the_claim_on_workers_served_is_judged_by_failed_reads(failing, verdict):
    result = verdicts(failing=lambda step: int(failing(step)))
    assert verdict_of(result, 'LB-RLT answers everything up to more workers than any other, 4KB') \
        == verdict


@pytest.mark.parametrize(('rate', 'verdict'), [(20.0, YES), (5.0, NO), (10.0, OPEN)])
def test_the_claim_on_throughput_is_judged_by_read_rates(rate, verdict):
    result = verdicts(throughput_of=only('lb_rlt', rate, 10.0), repeats=3)
    assert verdict_of(result, 'From the middle of the numbers of workers on LB-RLT has the '
                              'greatest throughput of reads, 4KB') == verdict


@pytest.mark.parametrize(('shares', 'verdict'), [((0, 9, 1), YES), ((1, 1, 1), NO)])
def test_herding_is_judged_for_each_number_of_proxy_workers(shares, verdict):
    result = verdicts(shares_of=lambda step: shares if step.proxy_workers == 1
                      and step.policy == 'lb_rlt' else (1, 1, 1))
    assert verdict_of(result, 'LB-RLT herds: lb_rlt, 1 worker process a proxy') == verdict
    assert verdict_of(result, 'LB-RLT herds: lb_rlt, 8 worker processes a proxy') == NO
    assert verdict_of(result, 'LB-RLT herds: lb_rlt@read, 1 worker process a proxy') == NO


def test_the_evidence_of_herding_shows_the_spread_of_repeats():
    result = verdicts(shares_of=lambda step: (0, 9, 1) if step.repeat == 1 else (0, 5, 5))
    claim = result['LB-RLT herds: lb_rlt, 1 worker process a proxy']
    assert claim.evidence.startswith('70 % (50 %..90 %) of the reads of a second')


def test_without_shuffle_results_herding_needs_many_reads():
    few = verdicts(shares_of=lambda step: (2, 1, 0), policies=('lb_rlt', 'weighted'))
    assert verdict_of(few, 'LB-RLT herds: lb_rlt, 1 worker process a proxy') == NO
    many = verdicts(shares_of=lambda step: (200, 100, 0), policies=('lb_rlt', 'weighted'))
    assert verdict_of(many, 'LB-RLT herds: lb_rlt, 1 worker process a proxy') == YES


@pytest.mark.parametrize(('few', 'many', 'verdict', 'equal'), [
    ((0, 5, 5), (2, 4, 4), YES, NO), ((0, 5, 5), (0, 5, 5), PARTLY, NO),
    ((1, 1, 1), (1, 1, 1), NO, YES)])
def test_avoidance_of_the_slow_node_is_judged_by_read_shares(few, many, verdict, equal):
    result = verdicts(shares_of=lambda step: few if step.workers == 1 else many)
    assert verdict_of(result, 'LB-RLT leaves the slow node alone at first') == verdict
    assert verdict_of(result, 'LB-RL shares the reads out almost equally') == equal


@pytest.mark.parametrize('policies', [('shuffle',), ('lb_rlt',), ('swift:timing', 'weighted')])
def test_claims_on_lowest_times_need_results_of_all_policies(policies):
    result = verdicts(policies=policies)
    assert not [text for text in result if 'lowest' in text]


def test_a_claim_without_results_is_unmeasured_or_has_evidence():
    for claim in claims.judge(Results(plan(), []), [1]):
        assert claim.verdict == UNKNOWN or claim.evidence


def test_the_table_of_claims_is_made_from_a_stored_evaluation(tmp_path):
    store = Store.begin(tmp_path, plan())
    for one in run_results(store.plan):
        store.add(one)
    text = report(tmp_path)
    assert 'LB-RLT has the lowest mean response time, 4KB' in text
    assert '| can not be told |' in text
