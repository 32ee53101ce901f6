"""What stands in the conf of a server, and has no effect: misspelt, unused, or of another server.

The server starts with it, so these are warnings.
"""
import re

from swift_lb.check.servers import factory_faults
from swift_lb.check.words import meant
from swift_lb.proxy.paste_conf import FILTER, inner, is_ours
from swift_lb.replica_options import OPTIONS, PREFIX

POLICY = 'proxy-server:policy'
OF_PROXIES = dict.fromkeys(('lb_status', 'lb_dispatcher', 'lb_image'),
                           'it belongs in proxy-server.conf')
OF_STORAGE = {'lb_report': 'it belongs in object-server.conf'}
ALIKE = 0.85        # of names that are taken for misspelt ones, from 0 to 1


def misplaced_filters(conf, elsewhere):
    """Return a warning for each filter in the pipeline that is of another server.

    `elsewhere` is {entry point: sentence}, such as OF_STORAGE for a proxy.
    """
    return [f'{conf.path}, [filter:{context.name}], use = {_use(conf, context.name)}: '
            f'{elsewhere[entry]}' for context in conf.filters if is_ours(context)
            and (entry := inner(context).entry_point_name) in elsewhere]


def unused_filters(conf):
    """Return the faults of swift-lb's filters that have a section but are not in the pipeline."""
    used = {context.name for context in conf.filters} | {word for _kind, word, _ in conf.failures}
    names = [name.removeprefix('filter:').strip() for name in conf.loader.parser.sections()
             if name.startswith('filter:')]
    return [f'{fault} (the pipeline does not have {name})' for name in names if name not in used
            for fault in _unused_faults(conf, name)]


def _unused_faults(conf, name):
    try:
        context = conf.loader.get_context(FILTER, name)
    except Exception:       # its entry point is not swift-lb's, or swift-lb does not have it
        context = None
    if context is not None and is_ours(context):
        return [fault for fault in factory_faults(conf.path, context)
                if fault.startswith(f'{conf.path}, [filter:')]      # not those of the server
    use = _use(conf, name)
    if not use.startswith('egg:swift-lb#'):
        return []
    return [f'{conf.path}, [filter:{name}], use = {use}: swift-lb has no such filter']


def _use(conf, name):
    return conf.loader.parser.get(f'filter:{name}', 'use', raw=True, fallback='')


def misspelt_sections(conf):
    """Return a warning for each section that no server reads, but that looks like a policy's."""
    stems = [(name, *name.rpartition(':')[::2]) for name in conf.loader.parser.sections()]
    return [f'{conf.path}, [{name}]: nobody reads this section; did you mean [{POLICY}:{index}]?'
            for name, stem, index in stems
            if index.strip().isdecimal() and stem != POLICY and meant(stem, [POLICY], ALIKE)]


def misspelt_options(section, where):
    """Return a warning for each option of an app or a policy that looks like one of swift-lb's.

    `section` is {option: text}; a wrong name that begins with lb_ is a fault, and is not repeated.
    """
    known = [PREFIX + name for name in OPTIONS]
    likely = {name: meant(re.sub('[^a-z]+', '_', name.lower()), known, ALIKE)
              or (PREFIX + name if name in OPTIONS else '')
              for name in section if not name.startswith(PREFIX)}
    return [f'{where}, {name}: nobody reads this option; did you mean {near}?'
            for name, near in likely.items() if near]
