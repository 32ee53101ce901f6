"""The <work> element: its workers, operations, limits, and rate of acceptable failures."""
from math import isnan
from typing import NamedTuple

from swift_lb.wire.cosbench import config, keys, operations
from swift_lb.wire.cosbench.access import nearest
from swift_lb.wire.cosbench.attributes import SPECIAL, attributes
from swift_lb.wire.cosbench.findings import likely, shown
from swift_lb.wire.cosbench.model import Access, Work

DIVISIONS = {'init': 'container', 'dispose': 'container', 'prepare': 'object', 'cleanup': 'object'}
DELAY = 'delay'   # a type that COSBench accepts, and that ends its workloads
AFR_NORMAL = 200_000
LIMITS = 'runtime', 'totalOps', 'totalBytes'
RAMPS = 'rampup', 'rampdown'
NAMES = {'totalOps': 'total_ops', 'totalBytes': 'total_bytes'}   # attribute: field of Work
GIVEN_BY_COSBENCH = {('objects', 'r(0,0)'), ('sizes', 'c(0)B'), ('createContainer', 'false'),
                     ('deleteContainer', 'false')}   # which its own normalised files have


class Inherited(NamedTuple):
    """The config string, auth and storage that an XML element passes on to the elements in it."""

    config: str = ''
    auth: Access = Access()
    storage: Access = Access()


def work(element, inherited, findings):
    """Return the Work of a <work> element, None for the type delay; add faults to `findings`.

    `inherited` is what the <workstage> around it passes on.
    """
    written = attributes(element, findings)
    if written['type'] == DELAY:
        findings.fault(element.line, '<work type="delay"> ends a workload TERMINATED in COSBench; '
                                     'remove it, and for a pause write closuredelay="SECONDS" on '
                                     'the <workstage> before')
        return None
    kind = work_type(written, element.line, findings)
    own = config.handed_down(inherited.config, written['config'], (element.line, 'work'), findings)
    complete(written, kind, element.line, findings)
    if kind == 'normal':
        children = normal_operations(element, written, own, findings)
    else:
        for child in element.children:
            if child.name == 'operation':
                check_ignored(child, kind, own, findings)
        children = [operations.special(kind, element.line, own, DIVISIONS[kind], findings)]
    histogram = config.settings(own, keys.OPERATION)[0]['histogram']
    findings.use([('histogram', config.entries(own).get('histogram'))])
    fields = {NAMES.get(name, name): value for name, value in written.items()}
    return Work(**fields | {'type': kind, 'config': own}, histogram=histogram,
        auth=nearest(element, 'auth', inherited.auth, findings),
        storage=nearest(element, 'storage', inherited.storage, findings),
        operations=operations.named(children))


def work_type(written, line, findings):
    """Return the type of a work; an unknown type becomes normal, as in COSBench, with a warning."""
    kind = written['type']
    if kind == 'normal' or kind in SPECIAL:
        return kind
    findings.warn(line, f'<work> type="{shown(kind)}" is none of normal, {", ".join(SPECIAL)}; '
                        f'taken for normal, as COSBench does{likely(kind, SPECIAL)}')
    return 'normal'


def complete(written, kind, line, findings):
    """Fill into `written` what depends on the work's type, `kind`; warn of ignored attributes."""
    if kind == 'normal':
        complete_normal(written, line, findings)
    else:
        complete_special(written, kind, line, findings)
    if written['workers'] is None:
        if 'workers' not in written.wrong:
            findings.fault(line, '<work> needs the attribute workers="..."')
        written['workers'] = 1
    for name in RAMPS:
        if written[name] and not written['runtime'] and 'runtime' not in written.wrong:
            findings.warn(line, f'<work> {name}="{written[name]}" is ignored without a runtime')
            written[name] = 0
    if written['driver'] not in ('', 'none'):
        findings.warn(line, f'<work> driver="{shown(written["driver"])}" is ignored: the workers '
                            'are spread over all drivers')
    if ',' in written['name']:
        findings.warn(line, f'<work> name="{shown(written["name"])}" has a comma in it, which will '
                            'confuse readers of the CSV files')


def complete_normal(written, line, findings):
    """Fill the defaults of a normal work into `written`; a missing name or limit is a fault."""
    if written['name'] is None:
        if 'name' not in written.wrong:
            findings.fault(line, '<work> needs the attribute name="..."')
        written['name'] = 'work'
    if written['afr'] is None:
        written['afr'] = AFR_NORMAL
    if not any(written[name] or name in written.wrong for name in LIMITS):
        findings.fault(line, '<work> has no limit; write runtime="SECONDS", totalOps="NUMBER" or '
                             'totalBytes="NUMBER"')


def complete_special(written, kind, line, findings):
    """Set in `written` what COSBench prescribes for a special work of type `kind`, like init."""
    if written['name'] is None:
        written['name'] = kind
    if written['afr'] is None:
        written['afr'] = 0
    if written['rate'] is not None:
        findings.fault(line, f'<work type="{kind}"> can not have a rate; only normal works can')
    for name, default, value in (
            ('totalOps', 0, written['workers'] or 1), ('runtime', 0, 0), ('totalBytes', 0, 0),
            ('division', 'none', DIVISIONS[kind])):
        if written[name] not in (default, value):
            findings.warn(line, f'<work type="{kind}"> {name}="{written[name]}" is ignored: it is '
                                f'always {value} there')
        written[name] = value


def normal_operations(element, written, own, findings):
    """Return the Operations of a normal work; ratios that do not add up to 100 are a fault.

    `written` holds the attributes of the work's `element`, `own` is its config string.
    """
    elements = [child for child in element.children if child.name == 'operation']
    parsed = [operations.normal(child, written, own, findings) for child in elements]
    total = sum(operations.ratio(child) for child in elements)
    if not elements:
        findings.fault(element.line, '<work> has no <operation>')
    elif total != 100 and not isnan(total):
        findings.fault(element.line, f'<work>: the ratios of its operations add up to {total}; '
                                     'they must add up to 100')
    return [operation for operation in parsed if operation]


def check_ignored(child, kind, own, findings):
    """Warn if the ignored <operation> `child` has another type or other config than its work.

    `kind` is the work's type, `own` its config string.
    """
    attributes(child, findings)
    more = set(config.entries(child.attributes.get('config', '')).items())
    if child.attributes.get('type') != kind or more - set(
            config.entries(own).items()) - GIVEN_BY_COSBENCH:
        findings.warn(child.line, f'<operation> is ignored in a work of type {kind}; write its '
                                  'config into that of the <work>')
