"""The <operation> element: its target, and checks that it can be carried out."""
import math
from collections import Counter
from dataclasses import replace

from swift_lb.wire.cosbench import config, keys
from swift_lb.wire.cosbench.attributes import ATTRIBUTES, SPECIAL, attributes
from swift_lb.wire.cosbench.findings import likely, shown
from swift_lb.wire.cosbench.model import Operation, Target

NEEDS = {   # keys that are required, by type of operation
    'read': ('containers', 'objects'), 'write': ('containers', 'objects', 'sizes'),
    'delete': ('containers', 'objects'), 'list': (),
    'filewrite': ('containers', 'files', 'fileselection'),
    'init': ('containers',), 'prepare': ('containers', 'objects', 'sizes'),
    'cleanup': ('containers', 'objects'), 'dispose': ('containers',),
}
CONTAINER = 'containers', 'cprefix', 'csuffix', 'name'
OBJECT = *CONTAINER, 'objects', 'oprefix', 'osuffix'
WRITTEN = *OBJECT, 'sizes', 'content', 'chunked', 'hashCheck'
USES = {   # keys whose values COSBench reads, by type of operation
    'read': (*OBJECT, 'hashCheck'), 'write': WRITTEN, 'delete': OBJECT, 'list': OBJECT,
    'filewrite': (*CONTAINER, 'files', 'fileselection', 'hashCheck'),
    'init': (*WRITTEN, 'createContainer'), 'prepare': (*WRITTEN, 'createContainer'),
    'cleanup': (*OBJECT, 'deleteContainer'), 'dispose': (*OBJECT, 'deleteContainer'),
}
NORMAL = 'read', 'write', 'delete', 'list', 'filewrite'
NAMES = {'hashCheck': 'hash_check', 'createContainer': 'create_container',
         'deleteContainer': 'delete_container'}   # key: attribute of Target, where they differ


def normal(element, work, inherited, findings):
    """Return the Operation of an <operation> in a normal work; None if its type is wrong.

    The result is also None for a ratio of 0. `work` holds the attributes of the work, `inherited`
    is the work's config string. Faults are added to `findings`.
    """
    written = attributes(element, findings)
    where = element.line, f'operation type="{shown(written["type"])}"'
    own = config.handed_down(inherited, written['config'], where, findings)
    if not written['ratio']:
        if written['type'] and written['type'] not in NORMAL:       # COSBench ignores it too
            findings.warn(where[0], f'<{where[1]}> is no operation; it is left out, as its ratio '
                                    'is 0')
        return None
    if 'type' in written.wrong or not known(written['type'], where, findings):
        return None
    findings.use(written.late or work.late)
    operation = Operation(
        type=written['type'], ratio=written['ratio'], config=own,
        target=target(written['type'], own), division=written['division'] or work['division'])
    use(operation, findings)
    check_needs(operation, where, findings)
    folder = operation.target.files
    if reason := folder and operation.type == 'filewrite' and findings.folder_fault(folder):
        path = shown(folder, config.MAX_LENGTH)
        findings.fault(where[0], f'<{where[1]}> config: files={path}: {reason}; write the path of '
                                 'a folder on this machine that has a file in it')
    fault = division_fault(operation, work['workers'], where[1])
    if fault is None:
        return effective_division(operation, where, findings)
    findings.fault(where[0], fault)
    return operation


def ratio(element):
    """Return the ratio of an <operation>, in percent; NaN if it is not valid."""
    try:
        return ATTRIBUTES['operation']['ratio'].kind(element.attributes.get('ratio', '100'))
    except ValueError:
        return math.nan


def known(kind, where, findings):
    """Return whether `kind` is an operation of a normal work; if not, add a fault at `where`."""
    line, element = where
    if kind in SPECIAL:
        findings.fault(line, f'<{element}> does not go into a normal work; write <work type='
                             f'"{kind}"> instead, which needs no <operation>')
    elif kind not in NORMAL:
        findings.fault(line, f'<{element}> is no operation; there are {", ".join(NORMAL)}'
                             f'{likely(kind, NORMAL)}')
    return kind in NORMAL


def special(kind, line, inherited, division, findings):
    """Return the one operation of a special work of type `kind`: init, prepare, cleanup, dispose.

    `inherited` is the work's config string, `division` its attribute of that name. Faults and
    warnings are added to `findings`.
    """
    more = {'prepare': 'createContainer=false', 'cleanup': 'deleteContainer=false'}.get(kind, '')
    own = config.inherited(more, inherited)
    operation = Operation(type=kind, config=own, target=target(kind, own), division=division)
    where = line, f'work type="{kind}"'
    use(operation, findings)
    check_needs(operation, where, findings)
    for name in 'containers', 'objects':
        selector = getattr(operation.target, name)
        if selector is not None and selector.kind != 'range':
            findings.fault(line, f'<{where[1]}> config: {name}={shown(config.entries(own)[name])} '
                                 f'is not possible where every one of the {name} has its turn; '
                                 'write r(a,b) or a-b')
    if kind == 'init' and operation.target.objects and not selects_nothing(
            operation.target.objects):
        findings.warn(line, f'<{where[1]}> config: objects={shown(config.entries(own)["objects"])} '
                            'is ignored; COSBench writes these objects in an init work')
    return operation


def target(kind, own):
    """Return the Target that the config string `own` gives an operation of type `kind`."""
    values, _missing = config.settings(own, keys.OPERATION)
    return Target(**{NAMES.get(key, key): values[key] for key in USES[kind] if key != 'name'})


def use(operation, findings):
    """Note in `findings` which (key, value) pairs of its config string an operation uses."""
    used = USES[operation.type]
    findings.use((key, value) for key, value in config.entries(operation.config).items()
                 if key in used)


def check_needs(operation, where, findings):
    """Add a fault at `where` for each required key that is missing or selects nothing."""
    line, element = where
    written = config.entries(operation.config)
    needs = NEEDS[operation.type]
    if operation.type == 'list' and 'objects' in written:
        needs = ('containers',)
    for key in needs:
        if key not in written:
            findings.fault(line, f'<{element}> config: needs {key}=...')
    if operation.type in NORMAL:
        for name in 'containers', 'objects':
            if selects_nothing(getattr(operation.target, name)):
                findings.fault(line, f'<{element}> config: {name}={written[name]} selects nothing; '
                                     'COSBench counts from 1')


def named(operations):
    """Return a work's operations, each with the name that reports show, as `read` or `1-read`.

    It is the configured name, else the type. If any two operations have the same type, all are
    numbered within their type: 1-read, 2-read, 1-write.
    """
    types = Counter(operation.type for operation in operations)
    twice, so_far, renamed = len(types) < len(operations), Counter(), []
    for operation in operations:
        so_far[operation.type] += 1
        default = f'{so_far[operation.type]}-{operation.type}' if twice else operation.type
        name = config.entries(operation.config).get('name') or default
        renamed.append(replace(operation, name=name))
    return tuple(renamed)


DIVIDED = {'container': 'containers', 'object': 'objects'}
SPLIT = 'uniform', 'range'   # the selectors that a division affects


def effective_division(operation, where, findings):
    """Return `operation`, with `division` replaced by the one that COSBench applies.

    COSBench divides the containers of a `list` among the workers whatever its `division` says, but
    never divides a `list` that selects objects too.
    """
    if operation.type != 'list':
        return operation
    if operation.target.objects is not None:
        if operation.division != 'none':
            findings.warn(where[0], f'<{where[1]}>: division="{operation.division}" is ignored, as '
                                    'COSBench does where objects are listed')
        return replace(operation, division='none')
    containers = operation.target.containers
    divided = containers is not None and containers.kind in SPLIT
    return replace(operation, division='container') if divided else operation


def division_fault(operation, workers, element):
    """Return why `workers` workers cannot divide an operation's containers or objects, else None.

    `element` is the operation's tag, with which the sentence begins.
    """
    listed = operation.type == 'list' and operation.target.objects is None
    name = 'containers' if listed else DIVIDED.get(operation.division)
    selector = getattr(operation.target, name) if name else None
    if selector is None:
        return None
    always = listed and operation.division != 'container'
    by = 'a list of containers' if always else f'division="{operation.division}"'
    if selector.kind == 'histogram':
        other = ', as a list always divides them' if listed else ' or division="none"'
        return (f'<{element}> config: {name}=h(...) can not be divided between workers; use '
                f'another selector{other}')
    if selector.kind in SPLIT and not selects_nothing(selector) and count(selector) < workers:
        return (f'<{element}>: {by} divides {count(selector)} {name} between {workers} workers; '
                'each needs one at least')
    return None


def count(selector):
    """Return how many numbers a Selector can choose from."""
    return (selector.high - selector.low) // selector.step + 1


def selects_nothing(selector):
    """Return whether a Selector has no number to choose from, as r(0,0); False for None."""
    return selector is not None and selector.high < selector.low
