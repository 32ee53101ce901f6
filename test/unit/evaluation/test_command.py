"""`swift-lb bench evaluate`, from its options to the report, on a stub of the lab."""
import io

import pytest
from rich.console import Console
from support.evaluation_runs import figures, plan
from support.evaluation_subject import StubSubject, arguments

from swift_lb.errors import ConfigError, EvaluationError, LabError
from swift_lb.evaluation import campaign, command, options
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.progress import EvaluationProgress
from swift_lb.evaluation.run_result import EvaluationRun
from swift_lb.evaluation.store import PLAN

WORDS = ('--quick', '--repeats', '1', '--policies', 'lb_rlt,shuffle')


@pytest.fixture
def subject(monkeypatch):
    """Have the command measure a StubSubject, with invented figures; return the stub."""
    result = StubSubject()
    monkeypatch.setattr(command, '_subject', lambda a_plan, args: result)
    monkeypatch.setattr(campaign, 'measure', lambda *args, **words: {
        'read': figures(0.02), 'write': figures(0.05)})
    return result


def run(tmp_path, *words):
    """Run the command with the options `words`, output in a folder; return its exit status."""
    return command.run(arguments('--output', str(tmp_path / 'out'), *words))


def test_the_command_prints_an_estimate_and_writes_a_report(subject, tmp_path, capsys):
    assert run(tmp_path, *WORDS) == 0
    output = capsys.readouterr().out
    assert '10 runs to be made; about ' in output
    assert '10 of 10 runs have figures' in output
    assert (tmp_path / 'out' / 'report.html').exists()


def test_the_same_command_continues_an_interrupted_evaluation(subject, tmp_path, capsys):
    order = steps(command.options.plan_of(arguments(*WORDS)))
    subject.faults[order[4]] = KeyboardInterrupt()
    assert run(tmp_path, *WORDS) == 130
    assert '4 of 10 runs have figures' in capsys.readouterr().out
    subject.faults.clear()
    subject.asked.clear()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == ['start', *order[4:], 'stop']
    assert '6 runs to be made, 4 are there' in capsys.readouterr().out


def test_finished_runs_are_not_repeated_if_the_plan_file_is_lost(subject, tmp_path, capsys):
    run(tmp_path, *WORDS)
    subject.asked.clear()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == []
    (tmp_path / 'out' / PLAN).unlink()
    assert run(tmp_path, *WORDS) == 0
    assert subject.asked == []
    assert '10 of 10 runs have figures' in (tmp_path / 'out' / 'summary.md').read_text()


def test_a_folder_with_results_of_other_options_is_refused(subject, tmp_path):
    run(tmp_path, *WORDS)
    with pytest.raises(EvaluationError, match='--fresh'):
        run(tmp_path, *WORDS, '--seconds', '9')
    assert run(tmp_path, *WORDS, '--seconds', '9', '--fresh') == 0


def test_the_exit_status_is_1_if_a_run_failed(subject, tmp_path, capsys):
    order = steps(command.options.plan_of(arguments(*WORDS)))
    subject.faults[order[8]] = EvaluationError('the lab died')
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'no figures for' in output
    assert 'the lab died' in output
    assert '9 of 10 runs have figures' in output


def test_a_lab_that_does_not_start_is_reported_in_a_sentence(subject, tmp_path, capsys):
    subject.starts[:] = [EvaluationError('port taken')] * 2
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'port taken' in output
    assert 'there is nothing to report' in output


def test_the_report_is_written_if_the_lab_cannot_be_stopped(subject, tmp_path, monkeypatch, capsys):
    def stop():
        raise LabError('can not be killed, and still run: process 7')
    monkeypatch.setattr(subject, 'stop', stop)
    assert run(tmp_path, *WORDS) == 1
    output = capsys.readouterr().out
    assert 'can not be killed' in output
    assert '10 of 10 runs have figures' in output
    assert (tmp_path / 'out' / 'report.html').exists()


def test_the_option_report_only_writes_the_report_without_new_runs(subject, tmp_path, capsys):
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
def test_the_option_report_only_refuses_any_other_option(words, said):
    with pytest.raises(ConfigError) as refused:
        command.run(arguments('--report-only', 'there', *words))
    assert ('--report-only there: draws what is there and measures nothing, so leave out '
            f'{said}') == str(refused.value)


def test_the_option_report_only_refuses_a_folder_without_evaluation(subject, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EvaluationError, match='no evaluation was begun there'):
        command.run(arguments('--report-only', ''))
    assert subject.asked == []


@pytest.mark.parametrize('terminal', [True, False])
def test_progress_shows_the_current_run_and_the_time_left(terminal):
    a_plan, text = plan(), io.StringIO()
    every = steps(a_plan)
    console = Console(file=text, force_terminal=terminal, width=120)
    with EvaluationProgress(console, a_plan, every, every) as display:
        for number, step in enumerate(every[:8], 1):
            display.begin(step, number)
            display.end(EvaluationRun(step, fault='it died' if number == 2 else None))
    output = text.getvalue()
    assert f'8/{len(every)}' in output
    assert 'left' in output
    assert 'no figures for node 1 alone, 4KB, 16 workers, repeat 1: it died' in output
    assert '(1 failed)' in output
