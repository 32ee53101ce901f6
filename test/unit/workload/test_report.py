"""report.html: complete, in one file, with all text of the workload file escaped."""
import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from support import bench_run

from swift_lb.wire.cosbench.model import Operation, Work, Workload, Workstage
from swift_lb.workload.report import write_report
from swift_lb.workload.result import RunResult, StageResult

EVIL = '<script>alert("1")</script> & $x_$ \x1b[2J'


class ParsedPage:
    """Texts, tables, ids and links of an HTML page that is XML but for its <meta> and <br>."""

    def __init__(self, text):
        root = ElementTree.fromstring(re.sub('<(meta[^>]*|br)>', r'<\1/>', text))
        elements = [(each.tag.rpartition('}')[2], each) for each in root.iter()]
        attributes = [(name.rpartition('}')[2], value) for _tag, each in elements
                      for name, value in each.items()]
        self.counts, self.text = Counter(tag for tag, _each in elements), list(root.itertext())
        self.ids = [value for name, value in attributes if name == 'id']
        self.links = [value for name, value in attributes
                      if name in ('src', 'href', 'action', 'data')]
        self.links += [url for _name, value in attributes
                       for url in re.findall(r'url\(([^)]*)\)', value)]
        self.tables = [[[''.join(cell.itertext()) for cell in row] for row in table.iter('tr')]
                       for table in root.iter('table')]

    def table(self, *first):
        """Return [{heading: cell}] of the first table whose headings begin with `first`."""
        headings, *rows = next(one for one in self.tables if one[0][:len(first)] == [*first])
        return [dict(zip(headings, row, strict=True)) for row in rows]


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a run's report and returns (its text, its ParsedPage)."""
    def written(run):
        path = tmp_path / 'report.html'
        write_report(run, path)
        text = path.read_text(encoding='utf-8')
        return text, ParsedPage(text)
    return written


@pytest.mark.parametrize('make', [bench_run.whole_run, bench_run.terminated_run,
                                  bench_run.worked_by_hand])
def test_the_page_has_no_scripts_and_no_links_to_other_files(read, make):
    text, page = read(make())
    assert all(link.startswith('#') for link in page.links)
    assert not page.counts['script'] + page.counts['link'] + page.counts['img']
    assert 'http:' not in text
    assert '@import' not in text
    assert 'url(' not in text.split('</style>')[0]
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)


def test_an_operations_figures_equal_ones_worked_by_hand(read):
    # ten reads of 10, 20 ... 100 ms and 4,000 bytes in 10 s; two more failed
    _text, page = read(bench_run.worked_by_hand({'HTTP 503': 2}))
    row, = page.table('operation', 'count')
    assert row.pop('p75') in ('80.0', '80.1')  # three digits of the histogram
    assert row == {
        'operation': 'read', 'count': '10', 'failures': '2', 'unfinished': '0',
        'op/s': '1.00', 'mean ms': '55.0', 'p50': '50.0', 'p90': '90.0', 'p95': '100', 'p99': '100',
        'p99.9': '100', 'max': '100', 'MB/s': '0.004', 'success %': '83.33'}
    assert page.table('operation', 'reason') == [
        {'operation': 'read', 'reason': 'HTTP 503', 'failures': '2', '% of all': '16.67'}]
    row, = page.table('stage', 'operation')
    assert (row['workers'], row['p50'], row['p99.9']) == ('2', '50.0', '100')


def test_the_report_shows_a_runs_stages_failures_and_charts(read):
    text, page = read(bench_run.whole_run())
    words = ' '.join(page.text)
    for expected in ('reads and writes of 4 KB', 'swift-lb bench run demo.xml', 'python 3.11.7',
                     '2026-11-21 02:12:06', '5 stages, all completed', 'connection reset by peer',
                     'coordinated omission', 'first and the last', 'ramp-up, ramp-down'):
        assert expected in words
    stages = page.table('stage', 'state')
    assert ['s1-init', 's2-prepare', 's3-main', 's4-cleanup', 's5-dispose'] == [
        row['stage'] for row in stages]
    assert 'running 345.0 s' in stages[2]['its states, and how long each lasted']
    assert '300 s' == stages[2]['measured window']
    # timelines of prepare, main and cleanup, response times of main alone
    assert page.counts['svg'] == 4
    assert text.count('Histogram, %') == 1


def test_names_from_the_workload_file_are_escaped(read):
    run = bench_run.worked_by_hand({EVIL: 3})
    operation = Operation('read', name=EVIL)
    work = Work(f'_{EVIL}', workers=2, runtime=10, operations=(operation,))
    other = replace(work, name='b', operations=(replace(operation, name='_'),))
    run.stages = [bench_run.stage_result(1, EVIL, [
        (work, [bench_run.op_result(operation, [0.1], {EVIL: 3})]),
        (other, [bench_run.op_result(operation, [0.1])])], faults=[EVIL])]
    run.workload = Workload(EVIL, EVIL, stages=(run.stages[0].stage,))
    run.command, run.versions = f'{EVIL} \udcff', {EVIL: EVIL}
    text, page = read(run)
    assert not page.counts['script']
    assert '\x1b' not in text
    assert page.counts['svg'] == 2
    assert '<script>alert("1")</script> & $x_$' in ''.join(page.text)


def test_the_report_of_a_run_of_25_stages_is_below_1_mb(read, monkeypatch):
    run = bench_run.sweep_run()
    text, page = read(run)
    assert len(text.encode()) < 1_000_000
    assert page.counts['details'] == len(run.stages) == 25
    assert {'Against the number of workers', '4k: read', '16k: write'} <= set(page.text)
    monkeypatch.setattr('swift_lb.workload.report.page.CHARTS_SIZE', 1)
    _text, page = read(bench_run.whole_run())
    assert page.counts['svg'] == 1  # that of init, which has nothing to draw, took no room
    assert ' '.join(page.text).count('is not drawn') == 3


def test_the_report_of_a_terminated_run_lists_skipped_stages(read):
    run = bench_run.terminated_run()
    run.stages[0].works, run.stages[0].timeline, run.stages[0].faults = [], [], ['login: HTTP 401']
    _text, page = read(run)
    text = ' '.join(page.text)
    assert ('The workload was terminated before its end: 1 of 3 stages had ended by then, '
            '1 did not run.') in text
    assert 's1-init: login: HTTP 401' in text
    assert 's2-main: stopped by Ctrl-C after 42 s' in text
    assert 'This stage was not run' in text
    assert [('completed', '-'), ('aborted', '-')] == [
        (row['operation'], row['count']) for row in page.table('stage', 'operation')[::3]]
    assert page.counts['svg'] == 2


def test_the_report_shows_a_stage_without_a_success_as_failed(read):
    run = bench_run.worked_by_hand()
    work = run.stages[0].works[0]
    work.ops = [bench_run.op_result(work.ops[0].operation, [], {'HTTP 404': 1234})]
    run.stages[0].states = bench_run.states('waiting', 'failed')
    _text, page = read(bench_run.run_result(run.stages, 'failed'))
    text = ' '.join(page.text)
    assert 'came to its end, but 1 of 1 stage failed' in text
    assert 'No operation succeeded: all 1,234 failed.' in text
    row, = page.table('operation', 'count')
    assert ('0.00', '-', '-') == (row['success %'], row['mean ms'], row['p99'])


def test_a_run_that_never_started_has_a_report(read):
    stage = Workstage('main', works=(Work('main', operations=(Operation('read'),)),), id='s1-main')
    for run in (RunResult(Workload('new', stages=(stage,))), RunResult(Workload('empty')),
                RunResult(Workload('new', stages=(stage,)), stages=[StageResult(stage)])):
        _text, page = read(run)
        assert 'The workload has not ended: it is queuing.' in page.text
    assert 'This stage has not begun.' in page.text


def test_the_report_mentions_what_its_figures_leave_out(read):
    run = bench_run.worked_by_hand()
    work, stage = run.stages[0].works[0], run.stages[0].stage
    sentences = ('Open loop (work.rate)', 'rate 50/s', '1 operation of read not finished',
                 '1 request of read sent once more', 'Percentiles were not kept (histogram=false).')
    text = ' '.join(read(run)[1].text)
    assert 'Closed loop' in text
    assert not [sentence for sentence in sentences if sentence in text]
    work.ops[0].unfinished = work.ops[0].resent = 1
    work.work = replace(work.work, histogram=False)
    run.stages[0].stage = replace(stage, works=(replace(stage.works[0], rate=50.0),))
    _text, page = read(run)
    text = ' '.join(page.text)
    assert 'Closed loop' not in text
    assert all(sentence in text for sentence in sentences)
    row, = page.table('operation', 'count')
    assert ('55.0', '-', '1') == (row['mean ms'], row['p99'], row['unfinished'])
    assert page.counts['svg'] == 1


def test_the_reports_durations_ignore_changes_of_the_wall_clock(read):
    run = bench_run.worked_by_hand()
    for states in (run.states, run.stages[0].states):
        states[-1] = states[-1]._replace(at=states[-1].at - timedelta(hours=1))   # it was set
    _text, page = read(run)
    assert '2026-11-21 01:13:07, after 1:01' in page.text
    assert page.table('stage', 'state')[0]['its states, and how long each lasted'].endswith(
        'running 10.0 s, closing 1.0 s, completed')


def test_the_rarest_reasons_of_failures_share_one_row(read):
    _text, page = read(bench_run.worked_by_hand(
        {f'reason {number}': 100 - number for number in range(30)}))
    rows = page.table('operation', 'reason')
    assert len(rows) == 21
    assert ('reason 0', '100') == (rows[0]['reason'], rows[0]['failures'])
    assert ('10 other reasons', f'{sum(range(71, 81)):,}') == (
        rows[-1]['reason'], rows[-1]['failures'])
