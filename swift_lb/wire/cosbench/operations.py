"""<operation>: what is done to which containers and objects, and whether that can be done."""
import math
from collections import Counter
from dataclasses import replace

from swift_lb.wire.cosbench import config, keys, kinds
from swift_lb.wire.cosbench.attributes import SPECIAL, attributes
from swift_lb.wire.cosbench.findings import likely, shown
from swift_lb.wire.cosbench.model import Operation, Target

NEEDS = {   # type: keys without which it can not be done
    'read': ('containers', 'objects'), 'write': ('containers', 'objects', 'sizes'),
    'delete': ('containers', 'objects'), 'list': (),
    'filewrite': ('containers', 'files', 'fileselection'),
    'init': ('containers',), 'prepare': ('containers', 'objects', 'sizes'),
    'cleanup': ('containers', 'objects'), 'dispose': ('containers',),
}
NORMAL = 'read', 'write', 'delete', 'list', 'filewrite'
NAMES = {'hashCheck': 'hash_check', 'createContainer': 'create_container',
         'deleteContainer': 'delete_container'}   # where Python's differ
NOT_OF_THE_TARGET = 'name', 'histogram'
DIVIDED = {'container': 'containers', 'object': 'objects'}
SPLIT = 'uniform', 'range'   # selectors that division does something to


def normal(element, work, inherited, findings):
    """Return the Operation of an <operation> in a normal work, None if it is none or never done.

    `work` has the attributes of the work, `inherited` is its config.
    """
    written = attributes(element, findings)
    where = element.line, f'operation type="{shown(written["type"])}"'
    own = config.handed_down(inherited, written['config'], where, findings)
    if 'type' in written.wrong or not known(written['type'], where, findings):
        return None
    if not written['ratio']:
        return None  # COSBench drops them as well
    operation = Operation(
        type=written['type'], ratio=written['ratio'], config=own, target=target(own),
        division=written['division'] or work['division'])
    check_needs(operation, where, findings)
    operation = effective_division(operation, work['workers'], where, findings)
    check_division(operation, work['workers'], where, findings)
    return operation


def ratio(element):
    """Return the ratio of an <operation>, nan if it is wrong."""
    try:
        return kinds.whole(0, 100)(element.attributes.get('ratio', '100'))
    except ValueError:
        return math.nan


def known(kind, where, findings):
    """Return whether `kind` is an operation of a normal work; tell of it if not."""
    line, element = where
    if kind in SPECIAL:
        findings.fault(line, f'<{element}> does not go into a normal work; write <work type='
                             f'"{kind}"> instead, which needs no <operation>')
    elif kind not in NORMAL:
        findings.fault(line, f'<{element}> is no operation; there are {", ".join(NORMAL)}'
                             f'{likely(kind, NORMAL)}')
    return kind in NORMAL


def special(kind, line, inherited, division, findings):
    """Return the one operation of a special work."""
    more = {'prepare': 'createContainer=false', 'cleanup': 'deleteContainer=false'}.get(kind, '')
    own = config.inherited(more, inherited)
    operation = Operation(type=kind, config=own, target=target(own), division=division)
    where = line, f'work type="{kind}"'
    check_needs(operation, where, findings)
    for name in ('containers', 'objects')[:1 if kind in ('init', 'dispose') else 2]:
        selector = getattr(operation.target, name)
        if selector is not None and selector.kind != 'range':
            findings.fault(line, f'<{where[1]}> config: {name}={shown(config.entries(own)[name])} '
                                 f'is not possible where every one of the {name} has its turn; '
                                 'write r(a,b) or a-b')
    return operation


def target(own):
    """Return the Target that a config string, with what it inherits, speaks of."""
    found, _missing = config.settings(own, keys.OPERATION)
    return Target(**{NAMES.get(key, key): value for key, value in found.items()
                     if key not in NOT_OF_THE_TARGET})


def check_needs(operation, where, findings):
    """Tell of what an operation needs to know and is not told."""
    line, element = where
    written = config.entries(operation.config)
    needs = NEEDS[operation.type]
    if operation.type == 'list' and 'objects' in written:
        needs = ('containers',)
    for key in needs:
        if key not in written:
            findings.fault(line, f'<{element}> config: needs {key}=...')
    if operation.type in NORMAL:
        for name in ('containers', 'objects'):
            if selects_nothing(getattr(operation.target, name)):
                findings.fault(line, f'<{element}> config: {name}={written[name]} selects nothing; '
                                     'COSBench counts from 1')


def selects_nothing(selector):
    """Return whether a Selector has no number to choose, as r(0,0)."""
    return selector is not None and selector.high < selector.low


def effective_division(operation, workers, where, findings):
    """Return the operation with the division that is in force.

    COSBench divides the containers that are listed between the workers whatever `division` says,
    and then fails where there are more workers than containers: there all share all. Where objects
    are looked up it never divides.
    """
    if operation.type != 'list':
        return operation
    containers, objects = operation.target.containers, operation.target.objects
    if objects is not None:
        if operation.division != 'none':
            findings.warn(where[0], f'<{where[1]}>: division="{operation.division}" is ignored, as '
                                    'COSBench does where objects are listed')
        return replace(operation, division='none')
    if containers is not None and containers.kind in SPLIT and count(containers) >= workers:
        return replace(operation, division='container')
    return operation


def check_division(operation, workers, where, findings):
    """Tell of what can not be divided, or not between so many workers."""
    line, element = where
    name = DIVIDED.get(operation.division)
    selector = getattr(operation.target, name) if name else None
    if selector is None:
        return
    if selector.kind == 'histogram':
        findings.fault(line, f'<{element}> config: {name}=h(...) can not be divided between '
                             f'workers; use another selector or division="none"')
    elif selector.kind in SPLIT and not selects_nothing(selector) and count(selector) < workers:
        findings.fault(line, f'<{element}>: division="{operation.division}" divides '
                             f'{count(selector)} {name} between {workers} workers; each needs one '
                             'at least')


def count(selector):
    """Return how many numbers a Selector chooses from."""
    return (selector.high - selector.low) // selector.step + 1


def named(operations):
    """Return a work's operations with their names: as written, or their type.

    As soon as two are of one type, all are numbered within theirs: 1-read, 2-read, 1-write.
    """
    types = Counter(operation.type for operation in operations)
    twice, so_far, found = len(types) < len(operations), Counter(), []
    for operation in operations:
        so_far[operation.type] += 1
        usual = f'{so_far[operation.type]}-{operation.type}' if twice else operation.type
        name = config.entries(operation.config).get('name') or usual
        found.append(replace(operation, name=name))
    return tuple(found)
