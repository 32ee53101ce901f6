"""What stands in the conf of a server, and has no effect: misspelt, unused, or of another server.

The server starts with it, so these are warnings.
"""
import re

from swift_lb.check.conf_kinds import sections_in
from swift_lb.check.servers import factory_faults
from swift_lb.check.words import meant, named_in, sections_of, source_of
from swift_lb.proxy.paste_conf import FILTER, entry_of, is_ours, leaves
from swift_lb.replica_options import OPTIONS, PREFIX

POLICY = 'proxy-server:policy'
OF_PROXIES = dict.fromkeys(('lb_status', 'lb_dispatcher', 'lb_image'),
                           'it belongs in proxy-server.conf')
OF_STORAGE = {'lb_report': 'it belongs in object-server.conf'}
SET = 'set '         # PasteDeploy's: the rest of the option's name is as if it were in [DEFAULT]
ALIKE = 0.85        # of names that are taken for misspelt ones, from 0 to 1


def misplaced_filters(conf, elsewhere):
    """Return a warning for each filter in the pipeline that is of another server.

    `elsewhere` is {entry point: sentence}, such as OF_STORAGE for a proxy.
    """
    return [f"{source_of(conf, 'filter', context.name)}: {elsewhere[entry]}"
            for context in conf.filters if is_ours(context)
            and (entry := entry_of(context)) in elsewhere]


def unused_filters(conf):
    """Return the faults of swift-lb's filters that have a section but are not in the pipeline."""
    used = {context.name for context in conf.filters} | {word for _kind, word, _ in conf.failures}
    names = {name: name.removeprefix('filter:').strip() for name in conf.loader.parser.sections()
             if name.startswith('filter:')}
    return [f'{fault} (the pipeline does not have {name})' for section, name in names.items()
            if name not in used for fault in _unused_faults(conf, name, section)]


def _unused_faults(conf, name, section):
    try:
        contexts = [leaf for leaf in leaves(conf.loader.get_context(FILTER, name))
                    if is_ours(leaf)]
    except Exception:       # its entry point is not swift-lb's, or swift-lb does not have it
        contexts = []
    if not contexts and named_in(conf, section)[1].startswith('egg:swift-lb#'):
        return [f"{source_of(conf, 'filter', name)}: swift-lb has no such filter"]
    return [fault for context in contexts for fault in factory_faults(conf.path, context)
            if fault.startswith(f'{conf.path}, [filter:')]      # not those of the server


def overruled(conf):
    """Return a warning for each option of swift-lb's that its app or filter does not get.

    What a section and [DEFAULT] have PasteDeploy takes from [DEFAULT], unless the section has it as
    `set NAME`. It gives both to an app, but only the section's rest to a filter of ours. No
    sentence shows a text, which may be a key.
    """
    given = sections_in(conf.path)
    default = given.get('DEFAULT', {})
    warnings = []
    for section in _ours(conf, 'app', [conf.app]):
        warnings += [(section, name, '[DEFAULT] has it too, and holds; write `set` before it here')
                     for name, text in given[section].items()
                     if name.startswith(PREFIX) and default.get(name, text) != text]
    for section in _ours(conf, 'filter', conf.filters):
        warnings += [(section, name, 'nobody reads it, as [DEFAULT] has it too; remove it there')
                     for name in given[section] if name in default]
        warnings += [(section, name, 'nobody reads it; remove `set`') for name in given[section]
                     if name.startswith(SET) and not name.startswith(SET + 'log_')]
    return [f'{conf.path}, [{section}], {name}: {rest}' for section, name, rest in warnings]


def _ours(conf, kind, contexts):
    """Return the names of the sections of those contexts that are swift-lb's."""
    return [section for context in contexts if context and is_ours(context)
            for section in sections_of(conf, kind, context.name)]


def misspelt_sections(conf):
    """Return a warning for each section that no server reads, but that looks like a policy's."""
    stems = [(name, *name.rpartition(':')[::2]) for name in conf.loader.parser.sections()]
    return [f'{conf.path}, [{name}]: nobody reads this section; did you mean [{POLICY}:{index}]?'
            for name, stem, index in stems
            if index.strip().isdecimal() and stem != POLICY and meant(stem, [POLICY], ALIKE)]


def misspelt_options(section):
    """Return [(option, rest of a sentence)] on what looks like a misspelt option of swift-lb's.

    `section` is {option: text} of an app or a policy; a wrong name that begins with lb_ is a fault,
    and is not repeated.
    """
    known = [PREFIX + name for name in OPTIONS]
    likely = {name: meant(re.sub('[^a-z]+', '_', name.lower()), known, ALIKE)
              or (PREFIX + name if name in OPTIONS else '')
              for name in section if not name.startswith(PREFIX)}
    return [(name, f': nobody reads this option; did you mean {near}?')
            for name, near in likely.items() if near]
