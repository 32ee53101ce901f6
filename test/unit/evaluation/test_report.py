"""The report of an evaluation needs no other file, is small, and may be of part of its runs."""
import re
from xml.etree import ElementTree

import pytest
from support.evaluation_runs import plan, run_result, run_results

from swift_lb.drawing import html, markdown
from swift_lb.drawing.document import ReportTable, Section
from swift_lb.evaluation import report
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import ClusterPlace, LabPlace
from swift_lb.evaluation.run_result import EvaluationRun
from swift_lb.evaluation.store import Store

RUN = {'began': '2026-01-01T00:00:00', 'command': 'swift-lb bench evaluate --label "<b>&"',
       'versions': {'swift-lb': '1', 'swift': '2.38'}}
MAX_BYTES = 1_000_000     # bytes


def written(tmp_path, a_plan, some):
    """Write a report of the plan with the EvaluationRuns `some`; return its folder."""
    store = Store.begin(tmp_path, a_plan)
    store.invoked(RUN)
    store.learn({'slow': [1]})
    for one in some:
        store.add(one)
    assert report.write(store, steps(a_plan)) == tmp_path / 'report.html'
    return tmp_path


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return the folder of the report of a small evaluation, of which one run failed."""
    a_plan = plan()
    some = run_results(a_plan, shares=(1, 4, 4))
    some[-1] = EvaluationRun(some[-1].step, fault='the lab died')
    return written(tmp_path_factory.mktemp('whole'), a_plan, some)


def test_the_html_page_loads_nothing_from_other_files(folder):
    text = (folder / 'report.html').read_text()
    assert not re.search(r'(?:src|href|data)="(?!#)|url\(http|@import|<(?:script|link|img|iframe)',
                         text)
    assert text.count('<svg') == 5       # figures 2, 3, 4, tails, herding
    result = re.findall(r' id="([^"]+)"', text)
    assert len(result) == len(set(result))
    assert set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text)) <= set(result)
    assert '<b>' not in text             # of the command, which is the user's


def test_each_chart_is_also_an_svg_file(folder):
    text = (folder / 'summary.md').read_text()
    for name in re.findall(r'!\[.*\]\((.*)\)', text):
        assert ElementTree.parse(folder / name).getroot().tag.endswith('svg')
    assert len(list((folder / 'figures').iterdir())) == 5


def test_the_summary_names_the_command_and_the_failed_runs(folder):
    text = (folder / 'summary.md').read_text()
    assert 'swift-lb bench evaluate --label' in text
    assert 'swift 2.38' in text
    assert '47 of 48 runs have figures' in text
    assert 'the lab died' in text
    for words in ('Table 7', 'Table 8', 'Table 9', 'Figure 2', 'Figure 3', 'Figure 4', 'p99.9',
                  'MAX', '% of MAX', 'LB-RLT lb_rlt', '(Swift) swift:timing', 'coordinated'):
        assert words in text


def test_every_row_of_a_table_has_as_many_cells_as_its_head(folder):
    blocks = re.findall(r'(?:^\|.*\n)+', (folder / 'summary.md').read_text(), re.MULTILINE)
    assert len(blocks) > 10
    for block in blocks:
        assert len({len(re.findall(r'(?<!\\)\|', line)) for line in block.splitlines()}) == 1


def test_columns_of_text_are_left_aligned_and_numbers_right():
    table = ReportTable('', ('who', 'name', 'share', 'why'), (
        ('1', 'LB-R', '47 %', '-'), ('2', '-', '-', '9 x that, and all the rest of it')))
    assert ReportTable('', ('who', 'share'), ()).left() == [True, False]
    assert '|---|---|--:|---|' in markdown.render('', [Section('', (table,))])
    assert '<th class="text">name</th><th>share</th>' in html.render('', [Section('', (table,))])


def test_a_full_evaluations_report_is_smaller_than_1_mb(tmp_path):
    everything = plan(policies=('shuffle', 'weighted', 'connect_time', 'last_throughput', 'lb_rlt',
                                'lb_rlt@read', 'swift:shuffle', 'swift:affinity', 'swift:timing'),
                      workers=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 700),
                      proxy_workers=(2, 1, 8), repeats=1)
    varied = [run_result(step, 0.02 + step.workers / (136 + number % 7),
                         (number % 5, 9 - number % 3, 7))
              for number, step in enumerate(steps(everything))]
    folder = written(tmp_path, everything, varied)
    sizes = sum(path.stat().st_size for path in folder.rglob('*.svg'))
    assert (folder / 'report.html').stat().st_size < MAX_BYTES
    assert sizes + (folder / 'summary.md').stat().st_size < MAX_BYTES


@pytest.mark.parametrize('count', [1, 7, 8])
def test_a_report_is_written_of_incomplete_results(tmp_path, count):
    a_plan = plan()
    written(tmp_path, a_plan, run_results(a_plan)[:count])


def test_a_report_is_written_if_no_operation_succeeded(tmp_path):
    a_plan = plan()
    nothing = [EvaluationRun(one.step, {name: type(figures)(failures=9, reasons={'HTTP 503': 9})
                                        for name, figures in one.ops.items()})
               for one in run_results(a_plan)]
    assert '0.0' in (written(tmp_path, a_plan, nothing) / 'summary.md').read_text()


def test_a_policy_without_runs_yet_gets_an_empty_chart(tmp_path):
    a_plan = plan()
    some = [one for one in run_results(a_plan) if one.step.policy != 'shuffle']
    text = (written(tmp_path, a_plan, some) / 'figures' / 'figure-2.svg').read_text()
    assert 'LB-R shuffle' in text
    assert text.count('SN3') == 1


@pytest.mark.parametrize('changes', [
    {'policies': ('lb_rlt',)}, {'policies': ('shuffle',), 'workers': (700,), 'sizes': ('4KB',),
                                'proxy_workers': (2,), 'repeats': 1},
    {'read': 100}, {'place': LabPlace('even', capacity=(None, None, None),
                                      slots=(None, None, None))},
    {'place': LabPlace('mine', nodes=1, replicas=1, capacity=(72.0,), slots=(1,))}])
def test_a_report_of_a_minimal_plan_has_no_nan_none_or_inf(tmp_path, changes):
    a_plan = plan(**changes)
    folder = written(tmp_path, a_plan, run_results(a_plan))
    assert not re.search(r'\b(nan|None|inf)\b', (folder / 'summary.md').read_text())


def test_an_existing_clusters_report_has_no_figures_of_its_nodes(tmp_path):
    a_plan = plan(place=ClusterPlace('mine', 'http://a/auth/v1.0', 'me'), policies=('mine',),
                  proxy_workers=(1,))
    some = [EvaluationRun(one.step, one.ops, window=one.window) for one in run_results(a_plan)]
    text = (written(tmp_path, a_plan, some) / 'summary.md').read_text()
    assert 'called mine' in text
    assert 'Which node served the reads' not in text
    assert 'MAX = -' in text
    assert 'window is longer than asked for' not in text   # its capacity is unknown
    assert '3 replicas' in text
