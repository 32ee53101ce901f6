"""`swift-lb sim compare`: ratios of policies, results kept in a file and reused, the report."""
import io
import json
import math
import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest
from rich.console import Console

from swift_lb.cli import main
from swift_lb.drawing import svg
from swift_lb.errors import SimulationError
from swift_lb.experiment.report import PAGE, SUMMARY
from swift_lb.experiment.runs import RunSpan
from swift_lb.sim import campaign, comparison_report, provenance
from swift_lb.sim.comparison_store import FILE, ComparisonStep, ComparisonStore
from swift_lb.sim.comparison_tables import P99, contests, every
from swift_lb.sim.ratios import Grid

SMALL = '''[scenario]
says = A small one, called {name}.
seconds = 4s
warm_up = 1s
[nodes n]
count = 4
service = exponential 10ms
'''


def figures(p99, reads=100, failed=0):
    """Return a run's figures, a dict as in a ComparisonStore; `p99`: s, None: no percentiles."""
    return {'reads': reads, 'throughput': reads / 2, 'failed': failed, 'requests': 1.0125,
            'busiest': 1.1, 'worst_second': 1.3,
            'percentiles': {} if p99 is None else {'50': p99 / 4, '99': p99, '99.9': 2 * p99},
            'tail': [] if p99 is None else [p99 * number for number in range(1, 34)]}


def grid():
    """Return a Grid of 2 scenarios, 3 policies and 3 seeds; one p99 and one run are missing."""
    p99 = {('a', 'oracle'): (1.0, 2.0, 4.0), ('a', 'shuffle'): (10.0, 10.0, 10.0),
           ('a', 'p'): (2.0, 3.0, 4.0), ('b', 'oracle'): (1.0, 1.0, 1.0),
           ('b', 'shuffle'): (8.0, 8.0, None), ('b', 'p'): (4.0, 4.0)}
    results = {(*key, seed): figures(value) for key, values in p99.items()
               for seed, value in enumerate(values, 1)}
    return Grid(results, ['a', 'b'], ['oracle', 'shuffle', 'p'], range(1, 4))


def test_a_ratio_compares_two_policies_with_the_same_seed():
    assert RunSpan(1.5, 1.0, 2.0, 3) == grid().to('oracle', 'a', 'p', P99)       # 2/1, 3/2, 4/4
    assert RunSpan(0.3, 0.2, 0.4, 3) == pytest.approx(grid().to('shuffle', 'a', 'p', P99))
    assert RunSpan(8.0, 8.0, 8.0, 2) == grid().to('oracle', 'b', 'shuffle', P99)
    assert RunSpan(0.5, 0.5, 0.5, 2) == grid().to('shuffle', 'b', 'p', P99)


def test_a_grid_finds_the_geometric_mean_ratio_and_least_p99():
    assert math.sqrt(1.5 * 4) == pytest.approx(grid().mean_to('oracle', 'p', P99))
    assert ('oracle', 'p') == (grid().best('a', P99), grid().best('a', P99, ['oracle']))


def test_a_grid_returns_none_where_a_scenario_has_no_runs():
    more = Grid(grid()._figures, ['a', 'b', 'c'], ['oracle', 'p'], range(1, 4))
    assert (None, None, None) == (more.mean_to('oracle', 'p', P99), more.best('c', P99),
                                  more.to('oracle', 'c', 'p', P99))


def test_tables_show_median_minimum_and_maximum_over_seeds():
    to_oracle, to_shuffle, absolute, *_more, reads, failed, requests, _busiest, _second = every(
        grid())
    assert ('scenario', 'oracle', 'shuffle', 'p') == to_oracle.headings
    assert (('a', '1.00', '5.00 (2.50..10.0)', '1.50 (1.00..2.00)'),
            ('b', '1.00', '8.00', '4.00'),
            ('geometric mean', '1.00', '6.32', '2.45')) == to_oracle.rows
    assert 'ratio to that of `shuffle`; the median over 3 seeds' in to_shuffle.caption
    assert ('a', '2,000 (1,000..4,000)', '10,000', '3,000 (2,000..4,000)', 'p') == absolute.rows[0]
    assert ('a', '50.0', '50.0', '50.0') == reads.rows[0]
    assert ('a', '0 %', '0 %', '0 %') == failed.rows[0]
    assert ('a', '1.012', '1.012', '1.012') == requests.rows[0]


def test_ratios_to_affinity_are_shown_if_affinity_was_run():
    result = Grid({('a', 'affinity', 1): figures(4.0), ('a', 'p', 1): figures(3.0)}, ['a'],
                  ['affinity', 'p'], [1])
    table, = (table for table in every(result) if 'to that of `affinity`' in table.caption)
    assert (('a', '1.00', '0.75'), ('geometric mean', '1.00', '0.75')) == table.rows
    assert not any('affinity' in table.caption for table in every(grid()))


def test_adaptive_is_compared_with_the_best_other_policy():
    p99 = {('a', 'oracle'): 1.0, ('a', 'c3'): 2.0, ('a', 'lb_rlt'): 4.0, ('a', 'c3@host'): 1.25,
           ('a', 'adaptive'): 1.0, ('b', 'oracle'): 1.0, ('b', 'c3'): 8.0, ('b', 'lb_rlt'): 2.0,
           ('b', 'c3@host'): 5.0, ('b', 'adaptive'): 2.25}
    policies = ['oracle', 'c3', 'lb_rlt', 'c3@host', 'adaptive']
    result = Grid({(*key, 1): figures(value) for key, value in p99.items()}, ['a', 'b'], policies,
                  [1])
    alone, shared = contests(result)
    assert ('scenario', 'best', 'adaptive') == alone.headings
    assert (('a', 'c3', '0.50'), ('b', 'lb_rlt', '1.12'),
            ('geometric mean', 'lb_rlt', '0.53')) == alone.rows        # 1.5 to 2.83
    assert (('a', 'c3@host', '0.80'), ('b', 'lb_rlt', '1.12'),
            ('geometric mean', 'c3@host', '0.60')) == shared.rows
    assert () == contests(grid())


def test_stored_results_are_reused_until_the_code_changes(tmp_path):
    step, other = ComparisonStep('a', 'p', 1, 1.0), ComparisonStep('a', 'p', 2, 1.0)
    ComparisonStore(tmp_path, lambda _step: 'x').add(step, {'reads': 1})
    with (tmp_path / FILE).open('a') as file:
        file.write('{"step": ["a", "p", 3')      # killed while it wrote
    ComparisonStore(tmp_path, lambda _step: 'x').add(other, {'reads': 2})
    store = ComparisonStore(tmp_path, lambda _step: 'x')
    assert ({'reads': 1}, {'reads': 2}, None) == (
        store.of(step), store.of(other), store.of(ComparisonStep('a', 'p', 3, 1.0)))
    assert ComparisonStore(tmp_path, lambda _step: 'y').of(step) is None   # the code has changed


def test_progress_lines_of_a_comparison_tell_the_remaining_time():
    pipe, at = Console(file=io.StringIO(), width=120), [0.0]
    with campaign.ComparisonProgress(pipe, 4, now=lambda: at[0]) as shown:
        for seed, at[0] in enumerate((6.0, 12.0, 18.0, 24.0), 1):
            shown.ended(ComparisonStep('paper', 'lb_rlt', seed, 1.0))
    assert ('2/4 paper, lb_rlt, seed 2: 12 s left\n'
            '4/4 paper, lb_rlt, seed 4: 0 s left\n') == pipe.file.getvalue()


def test_a_result_folder_that_cannot_be_created_is_refused(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(SimulationError):
        ComparisonStore(tmp_path / 'file' / 'folder', lambda _step: 'x')


def test_a_fingerprint_depends_on_policy_scenario_and_code_files(monkeypatch, tmp_path):
    files = {path.name for path in provenance.sources(['swift_lb.policy.lb_rlt'])}
    assert {'lb_rlt.py'} == files
    core = {path.name for path in provenance.sources(provenance.CORE)}
    assert {'cluster.py', 'device.py', 'book.py', 'model.py'} <= core
    assert not {'lb_rlt.py', 'config.py'} & core
    assert 5 == len({provenance.fingerprint(*one) for one in (
        ('shuffle', 'text', 1.0), ('shuffle', 'text', 0.5), ('shuffle', 'other', 1.0),
        ('lb_rlt', 'text', 1.0), ('shuffle@host', 'text', 1.0), ('lb_rlt', 'text', 1.0))})


@pytest.fixture
def scenarios(tmp_path, monkeypatch):
    """Write one.conf and two.conf, of 4 s each, to the empty current folder; return both names."""
    monkeypatch.chdir(tmp_path)
    for name in ('one', 'two'):
        (tmp_path / f'{name}.conf').write_text(SMALL.format(name=name))
    return 'one.conf,two.conf'


def test_a_repeated_comparison_runs_only_what_is_missing(scenarios, tmp_path, capsys):
    pytest.importorskip('matplotlib')
    words = ['sim', 'compare', '--scenarios', scenarios, '--policies', 'lb_rlt', '--seeds', '2',
             '--processes', '2']
    assert 0 == main(words)
    out = capsys.readouterr().out
    assert '12 runs to be made' in out
    assert 'p99 as a ratio to that of oracle' in out
    assert 'geometric mean' in out
    lines = (tmp_path / 'comparison' / FILE).read_text().splitlines()
    assert 12 == len(lines)
    assert 'shares' not in json.loads(lines[0])['figures']
    assert 0 == main(words)
    assert 'to be made' not in capsys.readouterr().out
    assert 0 == main([*words[:-3], '3', *words[-2:]])
    assert '6 runs to be made, 12 are there' in capsys.readouterr().out
    report_is_whole(tmp_path / 'comparison')


def report_is_whole(folder):
    """Assert that the report in `folder` has tables and three pictures, and contains no URL."""
    summary = (folder / SUMMARY).read_text()
    assert '| geometric mean | 1.00 |' in summary
    assert 'A small one, called two.' in summary
    page = (folder / PAGE).read_text()
    assert 3 == page.count('<svg')
    assert '://' not in page       # the page has the command, which may name any file
    drawn = sorted((folder / 'figures').iterdir())
    assert ['distributions.svg', 'p99-to-oracle.svg', 'p99-to-shuffle.svg'] == [
        path.name for path in drawn]
    for path in drawn:
        ElementTree.fromstring(path.read_text())
        assert f'figures/{path.name}' in summary


def test_a_report_without_matplotlib_has_tables_only(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison_report.importlib.util, 'find_spec', lambda _name: None)
    monkeypatch.setattr(comparison_report.shipped, 'load',
                        lambda _name: type('Named', (), {'says': 'A test.'}))
    monkeypatch.setattr(comparison_report, 'says', lambda _label: 'A policy.')
    monkeypatch.setattr(svg, 'drawing', None)
    comparison_report.write(grid(), tmp_path, 'swift-lb sim compare')
    assert 'geometric mean' in (tmp_path / SUMMARY).read_text()
    assert '<svg' not in (tmp_path / PAGE).read_text()


def test_all_wrong_options_of_sim_compare_are_reported_together(capsys):
    assert 1 == main(['sim', 'compare', '--scenarios', 'papr', '--policies', 'fastest', '--seeds',
                      '0', '--processes', '1025'])
    err = capsys.readouterr().err
    assert '--seeds 0: must be a whole number, 1 to 1000' in err
    assert '--processes 1025: must be a whole number, 1 to 1024' in err
    assert 'did you mean paper' in err
    assert "unknown policy 'fastest'" in err


def test_an_interrupted_comparison_keeps_its_finished_runs(scenarios, tmp_path):
    (tmp_path / 'one.conf').write_text(SMALL.format(name='one').replace('4s', '2000s'))
    command = [sys.executable, '-c', 'import sys; from swift_lb.cli import main; '
               'sys.exit(main())', 'sim', 'compare', '--scenarios', 'two.conf,one.conf',
               '--policies', 'shuffle', '--seeds', '1', '--processes', '1']
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    file = tmp_path / 'comparison' / FILE
    for _look in range(1200):
        if file.exists() and file.read_text().count('\n') >= 2:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _err = process.communicate(timeout=60)
    assert 130 == process.returncode
    assert 'stopped; the same command goes on from here' in out
    assert '2 of 4 runs' in out
    assert 2 == file.read_text().count('\n')


def killed():
    """Kill the calling process by SIGKILL, as the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_simulator_process_is_reported():
    with pytest.raises(SimulationError, match='--processes 1 needs less'):
        campaign.in_processes(killed, [()], 1, print)
