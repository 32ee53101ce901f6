"""The arithmetic of test/bench/outcomes: a disk's share of reads, and claims that hold or not."""
import math
from pathlib import Path

import pytest
from bench.outcomes import disk_claims, disks
from bench.outcomes.claims import CLAIMS, LABS
from bench.outcomes.disks import BAD
from bench.outcomes.outcome import Bound, ClaimFigure, kept, table
from bench.outcomes.paper import turn
from bench.outcomes.share import Shares

from swift_lb.evaluation import workloads
from swift_lb.evaluation.run_result import OpFigures
from swift_lb.lab.nodes import NO_COUNTS
from swift_lb.wire.cosbench.read import read
from swift_lb.workload.tally import new_histogram

OTHER = (2, 'sd0')


def counts(served, failed=0, hanging=0):
    return NO_COUNTS | {'served': served, 'failed': failed, 'hanging': hanging}


def shares(*lines):
    """Return Shares of disks BAD and OTHER, half the replicas each; a line: counts of a second."""
    seen = [(second, {BAD: bad, OTHER: other}) for second, (bad, other) in enumerate(lines)]
    return Shares(seen, {BAD: 0.5, OTHER: 0.5})


def test_a_disk_with_its_fair_part_of_the_reads_has_share_1():
    result = shares((counts(0), counts(0)), (counts(10), counts(10)), (counts(10), counts(30)))
    assert result.by_second([BAD], 0, 2) == [1.0, 0.0]
    assert result.by_second([OTHER], 0, 2) == [1.0, 2.0]
    assert result.share([BAD, OTHER], 0, 2) == 1.0
    assert result.share([BAD], 0, 2) == 0.5


def test_a_read_repeated_after_a_failure_counts_once():
    result = shares((counts(0), counts(0)), (counts(0, failed=10), counts(20)))
    assert result.reads(0, 1) == 20
    assert result.share([BAD], 0, 1) == 1.0


def test_a_disks_share_of_reads_is_0_in_a_second_without_reads():
    assert shares((counts(5), counts(5)), (counts(5), counts(5))).share([BAD], 0, 1) == 0.0


def test_a_hung_request_counts_as_sent_to_its_disk():
    result = shares((counts(0), counts(10)), (counts(0, hanging=3), counts(10)),
                    (counts(0, hanging=1), counts(10)))
    assert result.sent([BAD], 0, 1) == 3
    assert result.most([BAD], 'hanging', 0, 2) == 3
    assert result.most([BAD], 'hanging', 1.5, 2) == 1
    assert result.most([BAD], 'hanging', 5, 6) == 0


def test_shares_after_returns_when_n_requests_had_arrived():
    result = shares(*((counts(number), counts(0)) for number in (0, 4, 8, 8)))
    assert result.after([BAD], 5, 0, 3) == 2
    assert result.after([BAD], 5, 1, 3) == 3     # since the second 1 only four
    assert result.at(1.9) == result.at(1)


def test_a_mended_disk_is_back_once_it_gets_its_share_of_reads():
    late = 14
    lines, bad, other = [], 0, 0
    for second in range(60):
        lines.append((counts(bad), counts(other)))
        bad, other = (bad + 10, other + 10) if second >= late else (bad, other + 20)
    result = shares(*lines)
    assert disk_claims.back(result, 10, 50) == late - 10 + disk_claims.WINDOW - 1  # 9 of 10 s
    assert disk_claims.back(result, 0, 15) == math.inf


def test_reads_that_hung_are_left_out_of_the_percentile():
    histogram = new_histogram()
    for seconds in (0.02, 0.03, 10.1, 12):
        histogram.record_value(int(seconds * 1e6))
    figures = OpFigures(4, histogram=histogram.encode().decode())
    assert disk_claims.answered(figures, 0.999) == pytest.approx(0.03, rel=0.01)


@pytest.mark.parametrize(('target', 'values', 'holds'), [
    (Bound('<', 0.3), (0.1, 0.2, 0.9), True), (Bound('<', 0.3), (0.1, 0.3, 0.9), False),
    (Bound('<=', 3, always=True), (1, 3, 2), True),
    (Bound('<=', 3, always=True), (1, 4, 2), False),
    (Bound('>=', 0.98), (0.98,), True), (Bound('<=', 30), (5, math.inf, math.inf), False)])
def test_a_claims_target_holds_for_the_median_or_for_every_run(target, values, holds):
    assert ClaimFigure('x', values, target).holds is holds


def test_the_table_has_a_line_for_each_figure_of_a_claim():
    results = {'one': [ClaimFigure('a', (1.0, 2.0, 9.0), Bound('<=', 2)), ClaimFigure('b', (5.0,))],
               'two': 'not measured: no lab'}
    heading, first, second, third = table(results)
    assert heading.split() == ['claim', 'what', 'target', 'measured', 'holds']
    assert first.split() == ['one', 'a', '<=', '2', '2.00', '(1.00..9.00)', 'yes']
    assert second.split() == ['one', 'b', '5.00']
    assert third == 'two: not measured: no lab'
    assert not kept(results)
    assert kept({'one': results['one']})
    assert not kept({'one': [ClaimFigure('a', (3.0,), Bound('<=', 2))]})


def test_policies_take_turns_in_being_measured_first():
    assert {turn((1, 2, 3), by)[0] for by in range(3)} == {1, 2, 3}
    assert all(sorted(turn((1, 2, 3), by)) == [1, 2, 3] for by in range(7))


def test_the_disk_workload_has_a_fixed_rate_of_sequential_reads():
    access = workloads.open_to_all(['http://127.0.0.1/v1/a'])
    stage, = read(disks.reads(access, '4KB', 120, 4, 15).encode()).workload.stages
    work, = stage.works
    assert (work.rate, work.rampup, work.runtime) == (120, 4, 15)
    objects = work.operations[0].target.objects
    assert (objects.kind, objects.low, objects.high) == ('sequential', 1, disks.OBJECTS)


def test_every_claim_is_documented_and_names_its_test_cluster():
    page = (Path(__file__).resolve().parents[2] / 'doc' / 'outcomes.md').read_text()
    assert [] == [name for name in CLAIMS if f'| `{name}` |' not in page]
    assert {claim.lab for claim in CLAIMS.values()} == set(LABS)
    assert set(disk_claims.CLAIMS) <= set(CLAIMS)
