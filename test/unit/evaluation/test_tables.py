"""The tables in an evaluation's report, of runs with known figures."""
import pytest
from support.evaluation_runs import plan, run_result, run_results

from swift_lb.evaluation import capacity_tables, tables
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import ClusterPlace, EvaluationStep
from swift_lb.evaluation.results import Results
from swift_lb.evaluation.run_result import EvaluationRun

TIMES = {'lb_rlt': 0.020, 'shuffle': 0.025, 'swift:timing': 0.030}


def rows_of(table):
    """Return {first cell of a row: {heading: cell} of the other cells} of a ReportTable."""
    return {row[0]: dict(zip(table.headings[1:], row[1:], strict=True)) for row in table.rows}


def results_of(a_plan=None, failing=(), **words):
    """Return Results: reads take TIMES of the policy; steps `failing` have a failed operation."""
    a_plan = a_plan or plan()
    return Results(a_plan, [
        run_result(step, TIMES.get(step.policy, 0.02), failures=int(step[:4] in failing), **words)
        for step in steps(a_plan)])


def test_response_time_table_compares_lb_rlt_with_best_other_policy():
    table = tables.response_times(results_of(), '4KB', 8)
    assert table.headings == ('workers', 'LB-RLT lb_rlt', 'LB-R shuffle',
                              'LB-RCT (Swift) swift:timing', 'best others',
                              '(best others / LB-RLT) - 1')
    assert table.rows[0] == ('1', '20.0', '25.0', '30.0', '25.0', '+25.00 %')
    assert [row[0] for row in table.rows] == ['1', '8', '64', 'mean', 'best', 'worst']
    assert table.rows[-1][-1] == '+25.00 %'


def test_response_times_of_loads_with_failures_have_a_star():
    results = results_of(failing={('shuffle', 2, '4KB', 64)})
    assert tables.counting(results, '4KB') == {1, 8}
    assert [row[0] for row in tables.response_times(results, '4KB', 8).rows][:3] == [
        '1', '8', '64 *']


def test_operation_counts_omit_loads_at_which_operations_failed():
    results = results_of(failing={('shuffle', 2, '4KB', 8)})
    table = tables.operations(results)
    result = rows_of(table)
    assert '4KB: 1, 64; 16KB: 1, 8, 64' in table.caption
    assert result['LB-R shuffle']['4KB read'] == '3,000'   # 10 a second, 300 s
    assert result['LB-R shuffle']['4KB write'] == '750'
    assert result['LB-R shuffle']['4KB: 100 % up to workers'] == '1'
    assert result['LB-RLT lb_rlt']['4KB: 100 % up to workers'] == '64'


def test_the_highest_load_without_failures_is_below_a_missing_run():
    a_plan = plan()
    results = Results(a_plan, [
        run_result(step, 0.02) for step in steps(a_plan) if step.workers != 8])
    assert tables.held(results, 'shuffle', '4KB') == 1


def test_lb_rlt_is_compared_only_with_the_papers_policies():
    a_plan = plan(policies=('lb_rlt', 'lb_rlt@read', 'shuffle'))
    assert tables.others(a_plan) == ['shuffle']
    results = Results(a_plan, run_results(
        a_plan, lambda step: 0.01 if '@' in step.policy else 0.02))
    table = tables.response_times(results, '4KB', 8)
    assert table.rows[0][-2:] == ('20.0', '+0.00 %')
    assert 'lb_rlt@read' in table.headings


def test_response_time_table_has_no_gain_column_without_lb_rlt():
    a_plan = plan(policies=('shuffle', 'weighted'))
    table = tables.response_times(Results(a_plan, run_results(a_plan)), '4KB', 8)
    assert table.headings == ('workers', 'LB-R shuffle', 'LB-RW weighted')


def test_a_value_that_was_not_measured_is_shown_as_a_dash():
    a_plan = plan()
    step = EvaluationStep('shuffle', 2, '4KB', 8, 1)
    table = tables.tails(Results(a_plan, [run_result(step, 0.02)]), '4KB')
    assert rows_of(table)['8']['LB-R shuffle p99'] == '20.0'
    assert set(rows_of(table)['1'].values()) == {'-'}


def test_the_spread_table_shows_the_least_and_greatest_repeat():
    step = EvaluationStep('shuffle', 2, '4KB', 8, 1)
    two = [run_result(step, 0.02), run_result(step._replace(repeat=2), 0.04)]
    table = tables.spreads(Results(plan(), two), '4KB')
    assert rows_of(table)['8']['LB-R shuffle'] == '30.0 (20.0..40.0)'


def test_failed_operations_are_listed_with_their_reason():
    table = tables.failures(results_of(failing={('shuffle', 2, '4KB', 64)}))
    assert table.rows == (('LB-R shuffle', '4KB', '64', '2 x HTTP 503'),)
    assert tables.failures(results_of()) is None


def test_failed_runs_are_listed_with_their_reason():
    step = EvaluationStep('shuffle', 2, '4KB', 8, 1)
    results = Results(plan(), [EvaluationRun(step, fault='the lab died')])
    assert tables.missing(results).rows == (('LB-R shuffle', '4KB', '8', '1', 'the lab died'),)


def test_max_capacity_is_the_sum_of_what_nodes_serve_alone():
    results = results_of(throughput=40.0)   # reads; runs have a quarter of that in writes
    table = capacity_tables.nodes_alone(results)
    # runs of a node alone have writes here too: 40 + 10
    assert capacity_tables.greatest(results) == pytest.approx(150)
    assert rows_of(table)['SN1']['E'] == '1.00'     # 20 ms * 50/s / 1 slot
    assert rows_of(table)['MAX']['th, 1/s'] == '150'


@pytest.mark.parametrize(('replicas', 'th'), [(1, '50.0'), (3, '70.0'), (4, '80.0')])
def test_the_use_of_capacity_counts_a_write_once_per_replica(replicas, th):
    a_plan = plan(place=ClusterPlace('mine', replicas=replicas), policies=('mine',),
                  proxy_workers=(1,))
    table = capacity_tables.put_to_use(Results(a_plan, run_results(a_plan, throughput=40.0)), '4KB')
    assert rows_of(table)['mine']['th, 1/s'] == th   # 40 reads and 10 writes
    assert f'a write as {replicas};' in table.caption


def test_use_of_capacity_is_unknown_without_runs_of_single_nodes():
    a_plan = plan()
    results = Results(a_plan, [run_result(step, 0.02) for step in steps(a_plan) if not step.node])
    assert capacity_tables.nodes_alone(results) is None
    row = rows_of(capacity_tables.put_to_use(results, '4KB'))['LB-R shuffle']
    assert row['% of MAX'] == '-'
    row = rows_of(capacity_tables.put_to_use(results_of(throughput=40.0), '4KB'))['LB-R shuffle']
    assert row['% of MAX'] == '47 %'                # 40 reads and 10 writes of 3 are 70
    assert row['E'] == '0.47'                       # t_min 20 ms * 70/s / 3 slots


def test_the_most_read_nodes_share_is_shown_per_process_count():
    a_plan = plan()
    results = Results(a_plan, [
        run_result(step, 0.02, (2, 2, 1) if step.proxy_workers == 2 else
             (0, 1, 1) if step.repeat == 1 else (0, 1, 0), throughput=8.0 * step.repeat)
        for step in steps(a_plan)])
    row = rows_of(capacity_tables.herding(results))['LB-RLT lb_rlt']
    assert ('75 % (50 %..100 %)', '15.0 (10.0..20.0)', '40 %') == (
        row['most-read, 1 proc.'], row['op/s, 1 proc.'], row['most-read, 2 proc.'])
