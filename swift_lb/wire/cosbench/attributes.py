"""The attributes of each element: what they may be, and what they are where nobody writes them."""
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.wire.cosbench import kinds
from swift_lb.wire.cosbench.findings import shown

SPECIAL = 'init', 'prepare', 'cleanup', 'dispose', 'delay'
DIVISIONS = 'none', 'container', 'object'
MILLION = 1_000_000
MOST_WORKERS = 100_000   # of a work; each is a client with counters and connections of its own


class Attribute(NamedTuple):
    """An attribute: what its value may be, its default, and whether it has to be there."""

    kind: Callable = kinds.text
    default: object = ''
    required: bool = False


CONFIG = {'config': Attribute()}
ATTRIBUTES = {
    'workload': {'name': Attribute(kinds.file_name, 'workload', True), 'description': Attribute(),
                 'trigger': Attribute(), **CONFIG},
    'auth': {'type': Attribute(kinds.some_text, '', True), **CONFIG},
    'storage': {'type': Attribute(kinds.some_text, '', True), **CONFIG},
    'workflow': CONFIG,
    'workstage': {'name': Attribute(kinds.stage_name, 'stage', True),
                  'closuredelay': Attribute(kinds.whole(0), 0), 'trigger': Attribute(), **CONFIG},
    'work': {'name': Attribute(kinds.one_name, None), 'type': Attribute(kinds.some_text, 'normal'),
             'workers': Attribute(kinds.whole(1, MOST_WORKERS), None),
             'interval': Attribute(kinds.whole(1), 5),
             'division': Attribute(kinds.one_of(*DIVISIONS), 'none'),
             'runtime': Attribute(kinds.whole(0), 0), 'rampup': Attribute(kinds.whole(0), 0),
             'rampdown': Attribute(kinds.whole(0), 0), 'totalOps': Attribute(kinds.whole(0), 0),
             'totalBytes': Attribute(kinds.whole(0, kinds.LONGEST), 0),
             'afr': Attribute(kinds.whole(0, MILLION), None), 'driver': Attribute(),
             'rate': Attribute(kinds.positive, None), **CONFIG},
    'operation': {'type': Attribute(kinds.some_text, '', True),
                  'ratio': Attribute(kinds.whole(0, 100), 100),
                  'division': Attribute(kinds.one_of(*DIVISIONS), None), 'id': Attribute(),
                  **CONFIG},
}
CHILDREN = {   # element: what may be in it
    'workload': ('auth', 'storage', 'workflow'), 'workflow': ('workstage',),
    'workstage': ('auth', 'storage', 'work'), 'work': ('auth', 'storage', 'operation'),
    'auth': (), 'storage': (), 'operation': (),
}


class Written(dict):
    """The values of an element's attributes, defaults filled in; `wrong` names the bad ones."""

    wrong = frozenset()


def attributes(element, findings):
    """Return the Written attributes of an Element and tell of all that is wrong with it."""
    table, found, wrong = ATTRIBUTES[element.name], Written(), set()
    for name, attribute in table.items():
        found[name] = attribute.default
        if name in element.attributes:
            try:
                found[name] = attribute.kind(element.attributes[name])
            except ValueError as err:
                wrong.add(name)
                findings.fault(element.line, f'<{element.name}> {name}='
                                             f'"{shown(element.attributes[name])}" {err}')
        elif attribute.required:
            wrong.add(name)
            findings.fault(element.line, f'<{element.name}> needs the attribute {name}="..."')
    for name in element.attributes:
        if name not in table:
            findings.unknown(element.line, f'<{element.name}>: the attribute', name, table)
    found.wrong = frozenset(wrong)
    check_content(element, findings)
    return found


def check_content(element, findings):
    """Tell of what is inside an element and does not belong there."""
    allowed = CHILDREN[element.name]
    for child in element.children:
        if child.name in allowed:
            continue
        if child.name in CHILDREN or child.name == 'workload':
            homes = [f'<{name}>' for name, names in CHILDREN.items() if child.name in names]
            findings.fault(child.line, f'<{child.name}> does not belong in <{element.name}>; it '
                                       f'goes into {" or ".join(homes) or "nothing"}')
        else:
            findings.unknown(child.line, f'<{element.name}>: the element', f'<{child.name}>',
                             [f'<{name}>' for name in allowed])
    if element.text:
        findings.warn(element.line, f'<{element.name}>: the text in it is ignored')
