"""The XML attributes of each element of a workload file: accepted values and defaults."""
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.wire.cosbench import kinds
from swift_lb.wire.cosbench.findings import shown
from swift_lb.wire.cosbench.kinds import BLANKS

SPECIAL = 'init', 'prepare', 'cleanup', 'dispose'
DIVISIONS = 'none', 'container', 'object'
MILLION = 1_000_000
MAX_WORKERS = 100_000   # of a work; each worker has its own counters and connection


class Attribute(NamedTuple):
    """The definition of an XML attribute: its parser (`kind`), its default, whether it is required.

    `odd` returns a sentence about an accepted value that COSBench reads unexpectedly, else None.
    COSBench checks a `late` attribute only when an operation uses it: only then a wrong value is a
    fault.
    """

    kind: Callable = kinds.text
    default: object = ''
    required: bool = False
    odd: Callable = lambda _value: None
    late: bool = False


def number(default, low=0, high=kinds.LARGEST):
    """Return the definition of an attribute whose value is a whole number from `low` to `high`.

    Like COSBench it ignores blanks around the number, and reads an empty text as 0. An absent
    attribute has the value `default`.
    """
    kind = kinds.whole(low, high)
    return Attribute(lambda value: kind(value.strip(BLANKS) or '0'), default, odd=odd_number)


def odd_number(value):
    """Return a warning if the number in `value` is empty or has blanks around it, else None."""
    number = value.strip(BLANKS)
    return None if value == number != '' else f'is read as {int(number or 0)}, as COSBench reads it'


CONFIG = {'config': Attribute()}
ATTRIBUTES = {
    'workload': {'name': Attribute(kinds.file_name, 'workload', True), 'description': Attribute(),
                 'trigger': Attribute(), **CONFIG},
    'auth': {'type': Attribute(kinds.some_text, '', True), **CONFIG},
    'storage': {'type': Attribute(kinds.some_text, '', True), **CONFIG},
    'workflow': CONFIG,
    'workstage': {'name': Attribute(kinds.stage_name, 'stage', True),
                  'closuredelay': number(0), 'trigger': Attribute(), **CONFIG},
    'work': {'name': Attribute(kinds.one_name, None), 'type': Attribute(kinds.some_text, 'normal'),
             'workers': number(None, 1, MAX_WORKERS), 'interval': number(5, 1),
             'division': Attribute(kinds.one_of(*DIVISIONS), 'none', late=True),
             'runtime': number(0), 'rampup': number(0), 'rampdown': number(0),
             'totalOps': number(0), 'totalBytes': number(0, 0, kinds.MAX_LONG),
             'afr': number(None, 0, MILLION), 'driver': Attribute(),
             'rate': Attribute(kinds.positive, None), **CONFIG},
    'operation': {'type': Attribute(kinds.some_text, '', True), 'ratio': number(100, 0, 100),
                  'division': Attribute(kinds.one_of(*DIVISIONS), None, late=True),
                  'id': Attribute(), **CONFIG},
}
CHILDREN = {   # element: the elements that it may contain
    'workload': ('auth', 'storage', 'workflow'), 'workflow': ('workstage',),
    'workstage': ('auth', 'storage', 'work'), 'work': ('auth', 'storage', 'operation'),
    'auth': (), 'storage': (), 'operation': (),
}


class Written(dict):
    """{name: value} of an XML element's attributes as written in the file, with defaults filled in.

    `wrong` holds the names of attributes with wrong values, `late` the (name, text) pairs of the
    attributes that COSBench checks only when an operation uses them.
    """

    wrong = frozenset()
    late = ()


def attributes(element, findings):
    """Return the attributes of an XML Element as a Written; add all that is wrong to `findings`."""
    table, values, wrong = ATTRIBUTES[element.name], Written(), set()
    for name, attribute in table.items():
        values[name] = attribute.default
        if name in element.attributes:
            try:
                values[name] = checked(element, name, attribute, findings)
            except ValueError:
                wrong.add(name)
        elif attribute.required:
            wrong.add(name)
            findings.fault(element.line, f'<{element.name}> needs the attribute {name}="..."')
    for name in element.attributes:
        if name not in table and name != 'xmlns':
            findings.unknown(element.line, f'<{element.name}>: the attribute', name, table)
    values.wrong = frozenset(wrong)
    values.late = tuple((name, element.attributes[name]) for name, attribute in table.items()
                        if attribute.late and name in element.attributes)
    check_content(element, findings)
    return values


def checked(element, name, attribute, findings):
    """Return the parsed value of the attribute `name` of an element; `attribute` is its definition.

    A wrong value adds a fault to `findings` and raises ValueError.
    """
    text = element.attributes[name]
    subject = f'<{element.name}> {name}="{shown(text)}"'
    try:
        value = attribute.kind(text)
    except ValueError as err:
        if attribute.late and text:
            findings.doubt(element.line, f'{subject} {err}', (name, text))
        else:
            findings.fault(element.line, f'{subject} {err}')
        raise
    if odd := attribute.odd(text):
        findings.warn(element.line, f'{subject} {odd}')
    return value


def check_content(element, findings):
    """Add to `findings` each child element, text and namespace that `element` must not have."""
    if element.attributes.get('xmlns'):
        findings.fault(element.line, f'<{element.name}> has an xmlns="..."; COSBench leaves out '
                                     'elements of a namespace; remove the xmlns')
    allowed = CHILDREN[element.name]
    for child in element.children:
        prefix, _colon, local = child.name.rpartition(':')
        if child.name in allowed:
            continue
        if prefix and local in CHILDREN:
            findings.fault(child.line, f'<{shown(child.name)}> is of a namespace; COSBench leaves '
                                       f'out elements of a namespace; write <{local}>')
        elif child.name in CHILDREN:
            homes = [f'<{name}>' for name, names in CHILDREN.items() if child.name in names]
            findings.fault(child.line, f'<{child.name}> does not belong in <{element.name}>; it '
                                       f'goes into {" or ".join(homes) or "nothing"}')
        else:
            findings.unknown(child.line, f'<{element.name}>: the element', f'<{child.name}>',
                             [f'<{name}>' for name in allowed])
    if element.text_line:
        findings.fault(element.text_line, f'<{element.name}>: there is text in it, which COSBench '
                                          'refuses; remove it, or make it a comment')
