"""Does a run on our application prove that it does as Swift's own does?

Pure, but for `again`, the function it is given to run tests a second time with.
"""

from dataclasses import dataclass, field

from swift_suite import delegation, outcomes

FEWEST = 40  # passed tests below which a run proves nothing; TestFile alone has 43
REASONS = 5  # of what went wrong first, shown for a run that proves nothing
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
    """What is wrong, and what was seen and is not counted as wrong."""

    complaints: list = field(default_factory=list)
    notes: list = field(default_factory=list)


def judge(theirs, ours, again):
    """Return the verdict on a pair of results; `again(result, tests)` reports on a second run."""
    empty = [c for result in (theirs, ours) for c in _proves_nothing(result)]
    if empty:
        return Verdict(empty)
    both = theirs.report.applications & ours.report.applications
    if both:
        return Verdict([f'{ours.run}: both runs were served by {", ".join(sorted(both))}'])
    return _compare(theirs, ours, again)


def _proves_nothing(result):
    """Yield why the run says nothing about its application, if that is so."""
    passed, _, skipped = outcomes.count(result.report.tests)
    if passed < FEWEST:
        why = '\n  '.join(_reasons(result.output))
        yield f'{result.run}: {passed} passed, {skipped} skipped; {FEWEST} must pass:\n  {why}'
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
    """Return the differences, those that a second run, by name, takes back as notes.

    The wall clock of a virtual machine may step backwards, and Swift, which orders writes by it,
    then answers 409 Conflict, whichever application serves. A test is taken back only if it ran
    again on both applications, and ended alike. That cannot tell a stepped clock from a fault of
    ours that comes and goes: hence the notes, with the reasons given the first time.
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
    """Return what the runs that the test did not pass in say of it."""
    return ''.join(f'\n  {report.reasons[name]}' for report in reports if report.reasons.get(name))
