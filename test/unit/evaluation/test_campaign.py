"""The runs of an evaluation are made in order; a failed one is stored with its reason."""
import signal
from unittest.mock import Mock

import pytest
from support.evaluation_runs import figures, plan
from support.evaluation_subject import StubSubject

from swift_lb.errors import EvaluationError, LabError
from swift_lb.evaluation import campaign
from swift_lb.evaluation.campaign import run_steps
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.run_result import OpFigures
from swift_lb.evaluation.store import Store

PLAN = plan(workers=(1,), sizes=('4KB',), repeats=1, proxy_workers=(2,))
STEPS = steps(PLAN)


@pytest.fixture
def store(tmp_path):
    return Store.begin(tmp_path, PLAN)


@pytest.fixture
def measured(monkeypatch):
    """Have measure() return figures; give the list of the workloads, XML, that it is given."""
    asked = []

    def measure(text, watch, endpoints, processes, seed):
        asked.append(text)
        return {'read': figures(0.02)}

    monkeypatch.setattr(campaign, 'measure', measure)
    return asked


def test_the_runs_of_a_plan_are_made_in_order_on_one_lab(store, measured):
    subject = StubSubject()
    run_steps(subject, store, STEPS, Mock())
    assert subject.asked == ['start', *STEPS, 'stop']
    assert all(store.finished(step) for step in STEPS)
    assert store.facts == {'slow': [1]}
    assert ['"write"' in text for text in measured] == [not step.node for step in STEPS]


def test_runs_that_already_have_a_result_are_skipped(store, measured):
    run_steps(StubSubject(), store, STEPS[:4], Mock())
    subject = StubSubject()
    run_steps(subject, store, STEPS, Mock())
    assert subject.asked == ['start', *STEPS[4:], 'stop']


def test_a_failed_run_is_stored_and_the_lab_restarted(store, measured):
    subject = StubSubject(faults={STEPS[2]: LabError('proxy-1 does not answer;\n  it said: x')})
    run_steps(subject, store, STEPS, Mock())
    assert store.results[STEPS[2]].fault == 'proxy-1 does not answer; it said: x'
    assert [step for step in STEPS if not store.finished(step)] == [STEPS[2]]
    assert subject.asked[:6] == ['start', *STEPS[:3], 'stop', 'start']


@pytest.mark.parametrize(('figures', 'fault'), [
    (OpFigures(), 'nothing was answered in the measured window, not even with an error'),
    (OpFigures(failures=5, reasons={'HTTP 503': 5}), None)])
def test_a_run_fails_if_it_got_no_answer_not_even_an_error(store, monkeypatch, figures, fault):
    monkeypatch.setattr(campaign, 'measure', lambda *args, **words: {'read': figures})
    run_steps(StubSubject(), store, STEPS[:1], Mock())
    assert store.results[STEPS[0]].fault == fault


def test_a_failed_start_of_the_lab_is_retried_once(store, measured):
    run_steps(StubSubject(starts=[LabError('no')]), store, STEPS[:1], Mock())
    assert store.finished(STEPS[0])
    subject = StubSubject(starts=[LabError('no'), LabError('still not')])
    with pytest.raises(EvaluationError, match='still not'):
        run_steps(subject, store, STEPS, Mock())
    assert subject.asked == ['start', 'stop', 'start', 'stop']


def test_results_are_kept_if_the_lab_cannot_be_restarted(store, measured):
    subject = StubSubject(starts=[None, LabError('gone'), LabError('gone')],
                      faults={STEPS[2]: LabError('died')})
    with pytest.raises(EvaluationError, match='gone'):
        run_steps(subject, store, STEPS, Mock())
    assert len(store.results) == 3


@pytest.mark.parametrize('when', ['start', 'run'])
def test_ctrl_c_stops_the_lab_and_drops_the_current_run(store, measured, when):
    stop = KeyboardInterrupt()
    subject = (StubSubject(starts=[stop]) if when == 'start'
               else StubSubject(faults={STEPS[2]: stop}))
    with pytest.raises(KeyboardInterrupt):
        run_steps(subject, store, STEPS, Mock())
    assert subject.asked[-1] == 'stop'
    assert len(store.results) == (0 if when == 'start' else 2)


def test_a_second_ctrl_c_does_not_interrupt_the_clean_up(store, measured):
    handlers = []

    class Watching(StubSubject):
        def stop(self):
            handlers.append(signal.getsignal(signal.SIGINT))

    run_steps(Watching(), store, STEPS[:1], Mock())
    assert handlers == [signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
