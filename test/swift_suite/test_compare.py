"""Which different outcomes of Swift's tests count, and which runs of them prove nothing."""

from collections import Counter

import pytest

from swift_suite import compare, delegation, outcomes, place, run
from swift_suite.session import Result, SuiteRun

A, B = 'test/functional/tests.py::TestFile::testA', 'test/functional/tests.py::TestFile::testB'
PLENTY = {f't{n}': 'passed' for n in range(compare.MIN_PASSED)}
(PINNED,) = compare.BY_DESIGN

JUNIT = """<testsuites><testsuite>
<testcase classname="test.functional.tests.TestFile" name="testA">
 <properties><property name="application" value="x.App"/></properties></testcase>
<testcase classname="test.functional.tests.TestFile" name="testB"><failure message="409&#10;b"/>
 </testcase>
<testcase classname="test.functional.tests.TestFile" name="testB"/>
<testcase classname="test.unit.test_mem.TestX" file="test/unit/test_base.py" name="testC">
 <skipped message="no xattrs"/></testcase>
<testcase classname="test.functional.tests.TestFile" name="testD">
 <properties><property name="peer" value="7"/><property name="client" value="1"/></properties>
 </testcase>
<testcase classname="test.functional.tests.TestFile" name="testD"><error message="teardown"/>
 </testcase>
<testcase classname="" name="test.unit.test_none"><error message="collection failure"/></testcase>
</testsuite></testsuites>"""


def result(app, **changed):
    report = outcomes.JunitReport(PLENTY | changed.pop('tests', {}), {}, {f'{app}.App'})
    for name, value in changed.items():
        setattr(report, name, value)
    return Result(SuiteRun(app, 'ec', f'egg:{app}#proxy', ()), report, 1.0,
                  'E   first\nE   first\nlast')


def never(result, tests):
    raise AssertionError('nothing differed, so nothing is to be run again')


def then(theirs, ours):
    """Return an `again` for judge(): tests end as `theirs` on Swift's app, as `ours` on ours."""
    ends = {'swift': theirs, 'lb': ours}
    return lambda result, tests: outcomes.JunitReport(
        dict.fromkeys(tests, ends[result.run.app]) if ends[result.run.app] else {}
    )


def test_the_worse_outcome_counts_if_junit_lists_a_test_twice(tmp_path):
    path = tmp_path / 'junit.xml'
    path.write_text(JUNIT)
    report = outcomes.read(path)
    assert report.tests == {
        A: 'passed',
        B: 'failed',
        'test/unit/test_mem.py::TestX::testC': 'skipped',
        'test/functional/tests.py::TestFile::testD': 'error',
        'test.unit.test_none': 'error',
    }
    assert report.reasons[B] == '409'
    assert report.applications == {'x.App'}
    assert report.served == {'peer': 7, 'client': 1}
    assert outcomes.count(report.tests) == (1, 3, 1)


def test_equal_outcomes_of_both_runs_raise_no_complaint():
    verdict = compare.judge(result('swift'), result('lb'), never)
    assert (verdict.complaints, verdict.notes) == ([], [])


def test_a_test_that_fails_in_both_runs_raises_no_complaint():
    both = {A: 'failed'}
    assert not compare.judge(
        result('swift', tests=both), result('lb', tests=both), never
    ).complaints


@pytest.mark.parametrize(
    ('theirs', 'ours', 'counted'),
    [
        ('passed', 'failed', True),
        ('passed', 'passed', False),
        ('failed', 'failed', False),
        (None, None, True),  # did not run again, so nothing is taken back
        ('passed', None, True),
    ],
)
def test_a_different_outcome_counts_unless_a_second_run_agrees(theirs, ours, counted):
    swift = result('swift', tests={A: 'passed'})
    lb = result('lb', tests={A: 'failed'}, reasons={A: '409 Conflict'})
    verdict = compare.judge(swift, lb, then(theirs, ours))
    assert len(verdict.complaints) == counted
    assert len(verdict.notes) == (not counted)
    assert '409 Conflict' in (verdict.complaints + verdict.notes)[0]


def test_a_test_missing_from_one_of_two_runs_is_a_difference():
    verdict = compare.judge(
        result('swift', tests={A: 'passed'}), result('lb'), then('passed', None)
    )
    assert 'ours absent' in verdict.complaints[0]


def test_a_failure_listed_as_by_design_is_noted_with_its_reason():
    swift, lb = result('swift', tests={PINNED: 'passed'}), result('lb', tests={PINNED: 'failed'})
    verdict = compare.judge(swift, lb, then('passed', 'failed'))
    assert not verdict.complaints
    assert compare.BY_DESIGN[PINNED] in verdict.notes[0]


@pytest.mark.parametrize('tests', [{}, dict.fromkeys(PLENTY, 'skipped')])
def test_a_run_in_which_fewer_than_40_tests_passed_is_refused(tests):
    both = [result(app) for app in ('swift', 'lb')]
    for each in both:
        each.report.tests = tests
    complaints = compare.judge(*both, never).complaints
    assert len(complaints) == 2
    assert complaints[0].endswith('E   first\n  last')


def test_comparing_an_application_with_itself_is_refused():
    lb = result('lb', applications={'swift.App'})
    assert 'both runs' in compare.judge(result('swift'), lb, never).complaints[0]


def test_a_run_without_a_recorded_proxy_application_is_refused():
    assert compare.judge(result('swift'), result('lb', applications=set()), never).complaints


@pytest.mark.parametrize(('peer', 'client', 'proves'), [
    (2 * compare.MIN_PASSED, 0, True), (2 * compare.MIN_PASSED, 1, False), (7, 0, False),
    (0, 0, False)])
def test_a_delegated_run_is_refused_if_a_request_is_not_delegated(peer, client, proves):
    delegated = result(delegation.APP, served=Counter(peer=peer, client=client))
    complaints = compare.judge(result('swift'), delegated, never).complaints
    assert complaints == [] if proves else f'{peer} requests were' in complaints[0]


@pytest.mark.parametrize(('argv', 'runs'), [
    ([], 'swift/replicated lb/replicated delegated/replicated swift/ec lb/ec'),
    (['--all'], 'swift/replicated lb/replicated delegated/replicated swift/ec lb/ec delegated/ec'),
    (['--unit'], 'swift/unit lb/unit')])
def test_runs_are_compared_with_swifts_own_app_of_the_same_kind(argv, runs):
    plan = run.plan(run.arguments(argv))
    assert ' '.join(map(str, plan)) == runs
    results = [Result(one, outcomes.JunitReport(), 1.0, '') for one in plan]
    compared = [(str(theirs.run), ours.run.kind) for theirs, ours in run.pairs(results)]
    assert compared == [(f'swift/{one.kind}', one.kind) for one in plan if one.app != 'swift']


SAMPLE = """[pipeline:main]
# a pipeline is a list
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache slo proxy-logging proxy-server
"""


def test_the_dispatcher_is_placed_behind_the_first_proxy_logging(tmp_path):
    conf = delegation.delegating(SAMPLE, tmp_path)
    assert 'healthcheck proxy-logging lb_dispatcher lb_witness cache slo proxy-logging' in conf
    assert 'weights = here=0' in conf
    assert str(delegation.instruction(tmp_path)) in (tmp_path / 'lb-server.conf').read_text()


def test_a_sample_conf_without_proxy_logging_is_an_error(tmp_path):
    with pytest.raises(place.CannotRunError):
        delegation.delegating('pipeline = cache proxy-server\n', tmp_path)


def test_requests_of_peers_and_of_clients_are_counted_separately(monkeypatch):
    monkeypatch.setattr(delegation, 'served', Counter())
    app = delegation.witness_factory({})(lambda env, start: [b'x'])
    for env in {}, {}, {'swift_lb.hop': 1}:
        assert app(env, None) == [b'x']
    assert delegation.served == {'client': 2, 'peer': 1}
