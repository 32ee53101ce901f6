"""The outcome of each test of a run, and the differences between two runs.

Pure: reads a JunitReport from junit XML. A test's name is its pytest node id, so that a test can be
run again by name.
"""

import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field

from swift_suite import delegation

ABSENT = 'absent'
PASSED = 'passed'
WORSE = (PASSED, 'skipped', 'failed', 'error')  # the worst outcome of a test is used


@dataclass
class JunitReport:
    """What the junit file of a run says of its tests."""

    tests: dict = field(default_factory=dict)  # {test: outcome}
    reasons: dict = field(default_factory=dict)  # {test: why it did not pass}, one line each
    applications: set = field(default_factory=set)  # names of the classes that served
    served: Counter = field(default_factory=Counter)  # {PEER or CLIENT: requests}, if delegated


def read(junit):
    """Return the JunitReport of the junit file at this path."""
    report = JunitReport()
    for case in ET.parse(junit).iter('testcase'):
        name = _node_id(case)
        for outcome, reason in _ends(case):
            if WORSE.index(outcome) >= WORSE.index(report.tests.get(name, PASSED)):
                report.tests[name], report.reasons[name] = outcome, reason
        report.applications.update(_properties(case, 'application'))
        for sender in delegation.PEER, delegation.CLIENT:
            report.served[sender] += sum(map(int, _properties(case, sender)))
    return report


def _node_id(case):
    """Return path::Class::test, made of junit's dotted classname; only classes have a capital.

    junit's `file` is not used: for an inherited test it is the file of the base class.
    """
    parts = case.get('classname', '').split('.')
    classes = [part for part in parts if part[:1].isupper()]
    path = '/'.join(parts[: len(parts) - len(classes)])
    if not path:  # a module that could not be imported
        return case.get('name')
    return '::'.join([f'{path}.py', *classes, case.get('name')])


def _ends(case):
    """Yield (outcome, reason): PASSED first, then each fault; a teardown can fail as well."""
    names = {'failure': 'failed', 'error': 'error', 'skipped': 'skipped'}
    yield PASSED, ''
    for child in case:
        if child.tag in names:
            yield names[child.tag], (child.get('message') or '').partition('\n')[0]


def _properties(case, name):
    """Return the set of values that the junit test case `case` has of the property `name`."""
    return {each.get('value') for each in case.iter('property') if each.get('name') == name}


def count(tests):
    """Return (passed, failed, skipped), the counts of {test: outcome}; errors count as failed."""
    by = Counter(tests.values())
    return by[PASSED], by['failed'] + by['error'], by['skipped']


def differences(swift, lb):
    """Return sorted [(test, outcome in `swift`, outcome in `lb`)] where the two dicts differ."""
    pairs = (
        (name, swift.get(name, ABSENT), lb.get(name, ABSENT)) for name in sorted({*swift, *lb})
    )
    return [(name, theirs, ours) for name, theirs, ours in pairs if theirs != ours]
