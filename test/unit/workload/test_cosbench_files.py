"""COSBench's files as text, read back by a small parser of COSBench's own kind: split at commas."""
from support.counted_run import counted_run, main_stage

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage
from swift_lb.workload import cosbench_files as files
from swift_lb.workload.result import OpResult, RunResult, StageResult, WorkResult

HISTORY = 'Id,Name,Submitted-At,Started-At,Stopped-At,Op-Info,State,Detailed State'
OVERALL = ('Stage,Op-Name,Op-Type,Op-Count,Byte-Count,Avg-ResTime,Avg-ProcTime,60%-ResTime,'
           '80%-ResTime,90%-ResTime,95%-ResTime,99%-ResTime,100%-ResTime,Throughput,Bandwidth,'
           'Succ-Ratio,Status,Detailed Status')
WORKLOADS = ('Id,Op-Name,Op-Count,Byte-Count,Worker-Count,Avg-ResTime,Avg-ProcTime,60%-ResTime,'
             '80%-ResTime,90%-ResTime,95%-ResTime,99%-ResTime,100%-ResTime,Throughput,Bandwidth,'
             'Succ-Ratio,Config-Info')
FOUR = ('Timestamp,Op-Count,,,,Byte-Count,,,,Avg-ResTime,,,,Avg-ProcTime,,,,Throughput,,,,'
        'Bandwidth,,,,Succ-Ratio,,,,Version-Info,,')


def parsed(text):
    """Return the lines of `text`, each a list of cells."""
    assert text.endswith('\n')
    return [row.split(',') for row in text[:-1].split('\n')]


def test_the_file_of_all_stages_has_cosbenchs_columns():
    ended = ('failed,waiting @ 2026-11-21 02:12:06,running @ 2026-11-21 02:12:07,'
             'failed @ 2026-11-21 02:12:08')
    run = counted_run()
    run.stages[1].works[0].ops[0].resent = 9      # is in no file of COSBench's
    header, prepare, read, _write, none, skipped = files.overall(run).splitlines()
    assert header == OVERALL
    assert prepare.startswith('s1-prepare,prepare-write,prepare,2,2000,10,8,')
    assert read == f's2-main,read,read,3,12000,15,14,10,20,20,20,20,30,0.9,3600,100%,{ended}'
    assert none == f's2-main,1-read-read,read,0,0{",N/A" * 8},0,0,N/A,{ended}'
    assert skipped == (f'cleanup{",N/A" * 15},aborted,waiting @ 2026-11-21 02:12:06,'
                       'aborted @ 2026-11-21 02:12:07')


def test_run_history_csv_gets_a_line_for_each_run():
    assert files.HISTORY == HISTORY + '\n'
    assert files.history(counted_run()) == (
        'w7,demo,2026-11-21 02:12:06,2026-11-21 02:12:07,2026-11-21 02:12:08,'
        'prepare read write cleanup,failed,queuing @ 2026-11-21 02:12:06,'
        'processing @ 2026-11-21 02:12:07,failed @ 2026-11-21 02:12:08\n')
    assert files.history(RunResult(Workload('x'), 'w1')) == 'w1,x,,,,,queuing\n'


def test_workloads_csv_gets_a_line_for_each_operation():
    assert files.WORKLOADS == WORKLOADS + '\n'
    rows = parsed(files.workloads(counted_run()))
    assert [row[0] for row in rows] == ['w7-s1-prepare-1', 'w7-s2-main-1', 'w7-s2-main-2',
                                        'w7-s2-main-3']
    assert rows[2] == ['w7-s2-main-2', 'write', '1', '8000', '2', '975', '475', '10', '10', '10',
                       '10', '10', '980', '0.4', '3200', '50%',
                       '20% cprefix=c containers=u(1-2) objects=u(1-9) sizes=c(4)KB']
    assert rows[3][5:13] == ['N/A'] * 8


def test_a_stages_file_has_a_column_for_each_operation():
    header, names, *rows = parsed(files.timeline(main_stage()))
    assert ','.join(header) == FOUR.replace(',,,,', ',,,')
    assert names == ['', *['read', 'write', '1-read-read'] * 7, 'Min-Version', 'Version',
                     'Max-Version']
    assert rows[0] == ['02:12:11', '3', '1', '0', '12000', '8000', '0', '15', '975', 'N/A', '14',
                       '475', 'N/A', '0.6', '0.2', '0', '2400', '1600', '0', '100%', '50%', 'N/A',
                       '0', '0', '0']
    assert rows[1] == ['02:12:16', '0', '1', '0', '0', '0', '0', 'N/A', '0.01', 'N/A', 'N/A',
                       '0.01', 'N/A', '0', '0.25', '0', '0', '0', '0', 'N/A', '100%', 'N/A',
                       '1', '1', '1']
    assert len({len(row) for row in (header, names, *rows)}) == 1
    stage = main_stage()
    assert files.timeline(StageResult(Workstage('delay'), timeline=stage.timeline)) == ''
    stage.timeline = []
    assert files.timeline(stage) == ''


def test_the_histogram_omits_operations_not_named_as_their_type():
    header, *rows = parsed(files.histogram(counted_run()))
    assert header == ['ResTime', 's2-main-w1-main-read', '(%)', 's2-main-w1-main-write', '(%)']
    assert rows[:3] == [['0~10', '1', '33.33%', '0', '0%'], ['10~20', '1', '66.67%', '0', '0%'],
                        ['20~30', '1', '100%', '0', '0%']]
    assert rows[97] == ['970~980', '0', '100%', '1', '100%']
    assert rows[-1][0] == '500000~+INF'
    assert len(rows) == 50_001


def test_a_time_of_0_or_not_recorded_is_written_as_n_a():
    read = Operation('read', name='read')
    work = Work('main', histogram=False, operations=(read,))
    op = OpResult(read, 1, buckets={0: 1}, response_time=0.004, transfer_time=0.004)
    stage = StageResult(Workstage('main', works=(work,), id='s1-main'), works=[
        WorkResult(work, 1, [op])])
    run = RunResult(Workload('x'), 'w1', stages=[stage])
    assert files.histogram(run).splitlines()[:2] == ['ResTime,s1-main-w1-main-read,(%)', '0~10,,']
    # a processing time of 0, where the body took as long as the whole: as in COSBench
    assert parsed(files.overall(run))[1][5:13] == parsed(files.workloads(run))[0][5:13] == [
        '4', *['N/A'] * 7]


def test_commas_and_slashes_in_names_are_replaced():
    operation = Operation('read', name='a,b\nc;d', config='x=1,2;y="z"\r\n')
    work = Work('w,1', operations=(operation,))
    stage = StageResult(Workstage('m/a,i\nn', works=(work,), id='s1-m/a,i\nn'),
                        works=[WorkResult(work, 1, [OpResult(operation, 1)])])
    run = RunResult(Workload('big, bad/../name', stages=(stage.stage,)), 'w9', stages=[stage])
    assert files.folder_name(run) == 'w9-big- bad-..-name'
    assert parsed(files.history(run))[0][1] == 'big- bad-..-name'
    assert parsed(files.overall(run))[1][:2] == ['s1-m-a-i-n', 'a-b-c d-read']
    assert [len(row) for row in parsed(files.workloads(run))] == [len(WORKLOADS.split(','))]
    assert parsed(files.workloads(run))[0][-1] == "100% x=1-2 y='z'"


def test_the_log_ends_with_failures_counted_by_reason():
    assert files.log(counted_run()).splitlines() == [
        'first line', 'second line',
        'error code: 503 occurred 1 times, fail to operate: s2-main-w1-main-write: HTTP 503',
        'error code: N/A occurred 2 times, fail to operate: s2-main-w2-bulk-1-read-read: '
        'connection reset']
