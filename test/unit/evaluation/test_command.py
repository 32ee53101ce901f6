"""From the command line to a report, on something made up."""
import io

import pytest
from rich.console import Console
from support.evaluation_cells import figures, plan
from support.evaluation_subject import StubSubject, arguments

from swift_lb.errors import ConfigError, EvaluationError, LabError
from swift_lb.evaluation import campaign, command, options
from swift_lb.evaluation.cell import Cell
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.progress import EvaluationProgress
from swift_lb.evaluation.store import PLAN

WORDS = ('--quick', '--repeats', '1', '--policies', 'lb_rlt,shuffle')


@pytest.fixture
def subject(monkeypatch):
    """Have the command measure a Subject; return it."""
    result = StubSubject()
    monkeypatch.setattr(command, '_subject', lambda a_plan, args: result)
    monkeypatch.setattr(campaign, 'measure', lambda *args, **words: {
        'read': figures(0.02), 'write': figures(0.05)})
    return result


def run(tmp_path, *words):
    """Run the command with its output in a folder; return its exit status."""
    return command.run(arguments('--output', str(tmp_path / 'out'), *words))


def test_output_has_the_estimate_and_the_report(subject, tmp_path, capsys):
    assert run(tmp_path, *WORDS) == 0
    output = capsys.readouterr().out
    assert '10 runs to be made; about ' in output
    assert '10 of 10 runs have figures' in output
    assert (tmp_path / 'out' / 'report.html').exists()


def test_interrupted_evaluation_is_continued(subject, tmp_path, capsys):
    order = steps(command.options.plan_of(arguments(*WORDS)))
    subject.faults[order[4]] = KeyboardInterrupt()
    assert run(tmp_path, *WORDS) == 130
    assert '4 of 10 runs have figures' in capsys.readouterr().out
    subject.faults.clear()
    subject.asked.clear()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == ['start', *order[4:], 'stop']
    assert '6 runs to be made, 4 are there' in capsys.readouterr().out


def test_finished_runs_are_not_repeated_even_without_their_plan(subject, tmp_path, capsys):
    run(tmp_path, *WORDS)
    subject.asked.clear()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == []
    (tmp_path / 'out' / PLAN).unlink()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == []
    assert '10 of 10 runs have figures' in (tmp_path / 'out' / 'summary.md').read_text()


def test_another_command_in_the_same_folder_is_refused(subject, tmp_path):
    run(tmp_path, *WORDS)
    with pytest.raises(EvaluationError, match='--fresh'):
        run(tmp_path, *WORDS, '--seconds', '9')
    assert run(tmp_path, *WORDS, '--seconds', '9', '--fresh') == 0


def test_runs_without_figures_exit_with_1(subject, tmp_path, capsys):
    order = steps(command.options.plan_of(arguments(*WORDS)))
    subject.faults[order[8]] = EvaluationError('the lab died')
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'no figures for' in output
    assert 'the lab died' in output
    assert '9 of 10 runs have figures' in output


def test_failed_start_is_reported_in_one_sentence(subject, tmp_path, capsys):
    subject.starts[:] = [EvaluationError('port taken')] * 2
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'port taken' in output
    assert 'there is nothing to report' in output


def test_report_is_written_if_the_lab_cannot_be_ended(subject, tmp_path, monkeypatch, capsys):
    def stop():
        raise LabError('can not be killed, and still run: process 7')
    monkeypatch.setattr(subject, 'stop', stop)
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'can not be killed' in output
    assert '10 of 10 runs have figures' in output
    assert (tmp_path / 'out' / 'report.html').exists()


def test_report_only_draws_again(subject, tmp_path, capsys):
    run(tmp_path, *WORDS)
    (tmp_path / 'out' / 'report.html').unlink()
    subject.asked.clear()
    assert command.run(arguments('--report-only', str(tmp_path / 'out'))) == 0
    assert (tmp_path / 'out' / 'report.html').exists()
    assert subject.asked == []


@pytest.mark.parametrize(('words', 'said'), [
    (('--workers', '8', '--quick'), '--quick, --workers'), (('--fresh',), '--fresh'),
    (('--output', options.OUTPUT), '--output'),
    (('--repeats', options.FULL['repeats']), '--repeats'), (('--key', 'secret'), '--key'),
    (('--endpoint', 'http://a/v1/b'), '--endpoint')])
def test_report_only_excludes_measuring_options(words, said):
    with pytest.raises(ConfigError) as refused:
        command.run(arguments('--report-only', 'there', *words))
    assert ('--report-only there: draws what is there and measures nothing, so leave out '
            f'{said}') == str(refused.value)


def test_report_only_without_results_is_refused(subject, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EvaluationError, match='no evaluation was begun there'):
        command.run(arguments('--report-only', ''))
    assert subject.asked == []


@pytest.mark.parametrize('terminal', [True, False])
def test_progress_shows_the_run_and_the_time_left(terminal):
    a_plan, text = plan(), io.StringIO()
    every = steps(a_plan)
    console = Console(file=text, force_terminal=terminal, width=120)
    with EvaluationProgress(console, a_plan, every, every) as display:
        for number, step in enumerate(every[:8], 1):
            display.begin(step, number)
            display.end(Cell(step, fault='it died' if number == 2 else None))
    output = text.getvalue()
    assert f'8/{len(every)}' in output
    assert 'left' in output
    assert 'no figures for node 1 alone, 4KB, 16 workers, repeat 1: it died' in output
    assert '(1 failed)' in output
