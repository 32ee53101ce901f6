"""Read a workload file: `read` and `examine` are the functions that other packages call."""
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from swift_lb.errors import ConfigError
from swift_lb.wire.cosbench import config
from swift_lb.wire.cosbench.access import nearest, unwritten
from swift_lb.wire.cosbench.attributes import attributes
from swift_lb.wire.cosbench.elements import parsed
from swift_lb.wire.cosbench.findings import Findings, shown
from swift_lb.wire.cosbench.model import Workload, Workstage
from swift_lb.wire.cosbench.works import DELAY, Inherited, work


class ReadWorkload(NamedTuple):
    """A Workload, and warnings about its parts that may have another effect than intended."""

    workload: Workload
    warnings: tuple[str, ...]   # line N: ...


def read(data):
    """Return the ReadWorkload of a workload file's bytes.

    Raises ConfigError with all faults of the file, each as `line N: ...`.
    """
    parsed, faults, warnings = examine(data)
    if faults:
        raise ConfigError(faults)
    return ReadWorkload(parsed, warnings)


def examine(data, folder_fault=lambda _folder: None):
    """Return (Workload or None, faults, warnings) of a workload file's bytes.

    `folder_fault(path)` returns why filewrite finds no files in a folder, or None.
    """
    findings = Findings(folder_fault)
    try:
        root = rooted(parsed(data, findings), findings)
    except ConfigError as err:
        return None, err.faults, ()
    parsed_workload = workload(root, findings)
    return None if findings.faults else parsed_workload, findings.faults, findings.warnings


def rooted(root, findings):
    """Return the root element, renamed to <workload>, since COSBench accepts any name for it.

    Raises ConfigError if it has another name and contains no <workflow>.
    """
    if root.name == 'workload':
        return root
    if 'workflow' not in {child.name for child in root.children}:
        raise ConfigError([f'line {root.line}: the file begins with <{shown(root.name)}>; a '
                           'COSBench workload begins with <workload name="...">'])
    findings.warn(root.line, f'<{shown(root.name)}> is read as <workload>, as COSBench reads it')
    return replace(root, name='workload')


def workload(element, findings):
    """Return the Workload of a <workload> element; add faults and warnings to `findings`."""
    written = attributes(element, findings)
    check_title(element, written, findings)
    own = config.handed_down('', written['config'], (element.line, element.name), findings)
    auth = nearest(element, 'auth', unwritten('auth'), findings)
    storage = nearest(element, 'storage', unwritten('storage'), findings)
    flows = [child for child in element.children if child.name == 'workflow']
    for other in flows[1:]:
        findings.fault(other.line, '<workflow>: there is one in this <workload> already, in line '
                                   f'{flows[0].line}')
    if not flows:
        findings.fault(element.line, '<workload> has no <workflow>')
    stages = workflow(flows[0], Inherited(own, auth, storage), findings) if flows else ()
    return Workload(name=written['name'], description=written['description'],
                    trigger=written['trigger'], config=own, auth=auth, storage=storage,
                    stages=stages)


def check_title(element, written, findings):
    """Warn if a <workload> or <workstage> has a trigger, or a name that breaks CSV files."""
    if written['trigger']:
        findings.warn(element.line, f'<{element.name}> trigger="{shown(written["trigger"])}" is '
                                    'ignored: swift-lb runs no scripts')
    if ',' in written['name'] or '"' in written['name']:
        findings.warn(element.line, f'<{element.name}> name="{shown(written["name"])}" will '
                                    'confuse readers of the CSV files, in which nothing is quoted')


def workflow(element, inherited, findings):
    """Return the Workstages of a <workflow>; `inherited` is what the <workload> passes on."""
    written = attributes(element, findings)
    own = config.handed_down(inherited.config, written['config'], (element.line, element.name),
                             findings)
    stages = [child for child in element.children if child.name == 'workstage']
    if not stages:
        findings.fault(element.line, '<workflow> has no <workstage>')
    return tuple(stage(child, number, inherited._replace(config=own), findings)
                 for number, child in enumerate(stages, 1))


def stage(element, number, inherited, findings):
    """Return the Workstage of the `number`th <workstage>; <workflow> passes on `inherited`."""
    written = attributes(element, findings)
    check_title(element, written, findings)
    own = config.handed_down(inherited.config, written['config'], (element.line, element.name),
                             findings)
    down = Inherited(own, nearest(element, 'auth', inherited.auth, findings),
                     nearest(element, 'storage', inherited.storage, findings))
    elements = [child for child in element.children if child.name == 'work']
    works = [done for child in elements if (done := work(child, down, findings))]
    if not elements:
        findings.fault(element.line, '<workstage> has no <work>')
    if written['name'] == DELAY and written['closuredelay'] and works:
        findings.fault(element.line, '<workstage> name="delay" with a closuredelay: COSBench does '
                                     'none of its works and ends the workload TERMINATED; write '
                                     'another name')
    return Workstage(name=written['name'], closuredelay=written['closuredelay'],
                     trigger=written['trigger'], config=own, works=numbered(works),
                     id=f's{number}-{written["name"]}')


def numbered(works):
    """Return a stage's works, whose operations get ids counted through the stage: op1, op2, ..."""
    ids = (f'op{number}' for number in count(1))
    return tuple(replace(work, operations=tuple(
        replace(operation, id=next(ids)) for operation in work.operations)) for work in works)
