"""The Store keeps a plan and its results in files: an interrupted evaluation can go on."""
import pytest
from support.evaluation_runs import plan, run_result

from swift_lb.errors import EvaluationError
from swift_lb.evaluation.design import steps
from swift_lb.evaluation.plan import ClusterPlace, plan_of
from swift_lb.evaluation.run_result import EvaluationRun
from swift_lb.evaluation.store import PLAN, RESULTS, Store

RUN = {'began': '2026-01-01T00:00:00', 'command': 'swift-lb bench evaluate', 'versions': {}}


@pytest.fixture
def store(tmp_path):
    """Return a Store with the results of the first two runs of plan()."""
    result = Store.begin(tmp_path, plan())
    result.invoked(RUN)
    result.learn({'slow': [1]})
    for step in steps(plan())[:2]:
        result.add(run_result(step, 0.02, shares=(1, 2, 3)))
    return result


def test_a_plan_is_unchanged_after_storing_and_loading():
    for one in (plan(), plan(place=ClusterPlace('mine', 'http://a', 'u', ('http://b',)))):
        assert plan_of(one.document()) == one
        assert plan_of(one.document()).fingerprint() == one.fingerprint()


def test_results_are_unchanged_after_storing_and_loading(store):
    again = Store.open(store.directory)
    assert again.results == store.results
    assert again.plan == store.plan
    assert (again.runs, again.facts) == ([RUN], {'slow': [1]})


def test_a_store_begun_again_knows_the_finished_runs(store):
    again = Store.begin(store.directory, plan())
    finished = [step for step in steps(plan()) if again.finished(step)]
    assert finished == steps(plan())[:2]
    again.invoked(RUN)
    assert len(Store.open(store.directory).runs) == 2


def test_an_incomplete_line_of_the_results_file_is_ignored(store):
    path = store.directory / RESULTS
    path.write_bytes(path.read_bytes()[:-40])
    again = Store.begin(store.directory, plan())
    assert len(again.results) == 1
    again.add(run_result(steps(plan())[5], 0.02))
    assert len(Store.open(store.directory).results) == 2


def test_a_failed_run_is_repeated_and_its_new_result_kept(store):
    step = steps(plan())[3]
    store.add(EvaluationRun(step, fault='the lab died'))
    assert not Store.open(store.directory).finished(step)
    store.add(run_result(step, 0.02))
    assert Store.open(store.directory).finished(step)


def test_a_different_plan_is_refused_and_its_changes_named(store):
    with pytest.raises(EvaluationError) as refused:
        Store.begin(store.directory, plan(seconds=5, workers=(1, 2)))
    text = str(refused.value)
    assert 'seconds 10, now 5' in text
    assert 'workers 1,8,64, now 1,2' in text
    assert '--fresh' in text
    assert len(Store.open(store.directory).results) == 2


def test_a_store_begun_fresh_drops_results_of_an_earlier_plan(store):
    text = (store.directory / RESULTS).read_text()
    assert not Store.begin(store.directory, plan(seconds=5), fresh=True).results
    assert not Store.open(store.directory).results
    (store.directory / RESULTS).write_text(text)
    assert not Store.open(store.directory).results


def test_a_folder_without_an_evaluation_is_refused(tmp_path):
    with pytest.raises(EvaluationError, match=r'no evaluation was begun there'):
        Store.open(tmp_path)


@pytest.mark.parametrize('text', ['', '[]', '{"plan": {}}', '{"plan": {"place": {"on": "moon"}}}',
                                  '{"plan": {"place": "lab"}}'])
def test_a_corrupt_plan_file_is_refused(tmp_path, text):
    (tmp_path / PLAN).write_text(text)
    with pytest.raises(EvaluationError, match='is not what an evaluation writes'):
        Store.open(tmp_path)


@pytest.mark.parametrize('line', ['null', '3', '{}', '"x"', '{"fingerprint": 1}', '\x00', 'é'])
def test_a_line_of_the_results_file_without_a_result_is_ignored(store, line):
    with open(store.directory / RESULTS, 'a') as file:
        file.write(line + '\n')
    assert len(Store.open(store.directory).results) == 2


def test_a_folder_that_cannot_be_created_is_refused(tmp_path):
    (tmp_path / 'file').touch()
    with pytest.raises(EvaluationError, match='cannot be written'):
        Store.begin(tmp_path / 'file' / 'below', plan())
