"""The <auth> and <storage> elements of a workload: the type and the settings of each."""
from urllib.parse import urlsplit

from swift_lb.wire.cosbench import config, keys
from swift_lb.wire.cosbench.attributes import attributes
from swift_lb.wire.cosbench.findings import likely, shown
from swift_lb.wire.cosbench.model import Access

ONLY_V3 = 'user_domain', 'project_domain'


def nearest(element, name, inherited, findings):
    """Return the Access of `element`'s <auth> or <storage> child (`name`), else `inherited`.

    A second such child is a fault in `findings`.
    """
    own = [child for child in element.children if child.name == name]
    for other in own[1:]:
        findings.fault(other.line, f'<{name}>: there is one in this <{element.name}> already, in '
                                   f'line {own[0].line}')
    return access(own[0], findings) if own else inherited


def unwritten(name):
    """Return the Access, of type `none`, for a workload without an <auth> or <storage> (`name`)."""
    return Access(settings=config.settings('', keys.TYPES[name]['none'])[0])


def access(element, findings):
    """Return the Access that an <auth> or <storage> element describes; add faults to `findings`."""
    written = attributes(element, findings)
    known = keys.TYPES[element.name]
    kind = keys.TYPE_ALIASES.get(written['type'], written['type'])
    if kind not in known:
        if kind:
            findings.fault(element.line, f'<{element.name}> type="{shown(kind)}": swift-lb knows '
                                         f'{", ".join(known)}{likely(kind, known)}')
        return unwritten(element.name)
    aliases = keys.ALIASES.get(kind, {})
    where = element.line, f'{element.name} type="{kind}"'
    config.check(written['config'], known[kind], aliases, where, findings)
    findings.use(config.entries(written['config']).items())
    values, missing = config.settings(written['config'], known[kind], aliases)
    for key in missing:
        findings.fault(element.line, f'<{where[1]}> config: needs {key}=...')
    if kind == 'keystone':
        values['version'] = keystone_version(values, written['config'], where, findings)
    return Access(kind, written['config'], values)


def keystone_version(values, written, where, findings):
    """Return the version of Keystone's API, 2 or 3, that an <auth> element of type keystone uses.

    It is the configured version in `values`, else the one at the end of the URL, else COSBench's
    default, 2. `written` is the config string, `where` (line, the element's tag).
    """
    line, element = where
    path = urlsplit(values['auth_url']).path.rstrip('/')
    by_url = 3 if path.endswith('/v3') else 2 if path.endswith('/v2.0') else None
    version = values['version'] or by_url or 2
    if by_url not in (None, version):
        findings.fault(line, f'<{element}> config: version={version} does not go with auth_url='
                             f'{shown(values["auth_url"])}; leave out one of the two')
    if version == 2:
        for key in (key for key in ONLY_V3 if key in config.entries(written)):
            findings.warn(line, f'<{element}> config: {key} is of version 3 of the API and is '
                                'ignored; write version=3')
    return version
