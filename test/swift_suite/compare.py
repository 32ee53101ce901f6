"""Decide whether runs of Swift's tests prove that our application behaves as Swift's does.

Pure, but for the argument `again`, a function that runs tests a second time.
"""

from dataclasses import dataclass, field

from swift_suite import delegation, outcomes

MIN_PASSED = 40  # tests, below which a run proves nothing; TestFile alone has 43
REASONS = 5  # errors that are shown of a run that proves nothing
BY_DESIGN = {  # tests that may fail on ours and pass on Swift's, and why
    'test/unit/proxy/controllers/test_obj.py::TestECObjController'
    '::test_GET_with_single_missed_overwrite_does_not_need_handoff': (
        "it replaces Swift's shuffle to fix the order of the nodes, and our order does not use "
        "that shuffle; without the replacement it fails as often on Swift's own application, in "
        '4 of 14 orders'
    )
}


@dataclass
class Verdict:
    """Texts on tests with different outcomes: complaints, which count, and notes, which do not."""

    complaints: list = field(default_factory=list)
    notes: list = field(default_factory=list)


def judge(theirs, ours, again):
    """Return the Verdict on the Results of Swift's application and of ours.

    `again(result, tests)` runs these tests of a Result again and returns their JunitReport.
    """
    empty = [c for result in (theirs, ours) for c in _proves_nothing(result)]
    if empty:
        return Verdict(empty)
    both = theirs.report.applications & ours.report.applications
    if both:
        return Verdict([f'{ours.run}: both runs were served by {", ".join(sorted(both))}'])
    return _compare(theirs, ours, again)


def _proves_nothing(result):
    """Yield a text that says why a Result proves nothing of its application, or nothing."""
    passed, _, skipped = outcomes.count(result.report.tests)
    if passed < MIN_PASSED:
        why = '\n  '.join(_reasons(result.output))
        yield f'{result.run}: {passed} passed, {skipped} skipped; {MIN_PASSED} must pass:\n  {why}'
    elif not result.report.applications:
        yield f'{result.run}: no proxy application was seen at work'
    elif result.run.app == delegation.APP:
        peers, clients = (result.report.served[by] for by in (delegation.PEER, delegation.CLIENT))
        if clients or peers < passed:
            yield f'{result.run}: {peers} requests were delegated, and {clients} were not'


def _reasons(output):
    """Return the first few errors in pytest's output, each once, and its last line."""
    lines = output.splitlines()
    errors = dict.fromkeys(line for line in lines if line.startswith('E  '))
    return [*list(errors)[:REASONS], *lines[-1:]]


def _compare(theirs, ours, again):
    """Return the Verdict: a difference that a second run does not repeat is only a note.

    The wall clock of a virtual machine may step backwards, and Swift, which orders writes by it,
    then answers 409 Conflict on any application. A difference becomes a note only if the test ran
    again on both applications, with the same outcome. It could still be an intermittent fault of
    ours: hence the notes, with the reasons of the first run.
    """
    verdict = Verdict()
    first = outcomes.differences(theirs.report.tests, ours.report.tests)
    names = tuple(name for name, *_ in first)
    second = [again(result, names) for result in (theirs, ours)] if names else []
    for name, *before in first:
        after = [report.tests.get(name, outcomes.ABSENT) for report in second]
        line = f'{ours.run}: {name}: {_pair(before)}; run again: {_pair(after)}'
        line += _why(name, [theirs.report, ours.report])
        if name in BY_DESIGN and before == [outcomes.PASSED, 'failed']:
            verdict.notes.append(f'{line}\n  by design: {BY_DESIGN[name]}')
        elif after[0] == after[1] != outcomes.ABSENT:
            verdict.notes.append(f'{line}\n  a wall clock that stepped, or chance')
        else:
            verdict.complaints.append(line)
    return verdict


def _pair(both):
    return f'swift {both[0]}, ours {both[1]}'


def _why(name, reports):
    """Return the reasons in `reports` for which test `name` did not pass, a line of text each."""
    return ''.join(f'\n  {report.reasons[name]}' for report in reports if report.reasons.get(name))
