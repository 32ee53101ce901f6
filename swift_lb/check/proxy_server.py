"""The check of a proxy-server.conf."""
import configparser

from swift_lb.check.added import added_before_dispatcher
from swift_lb.check.conf_kinds import PROXY, SWIFT_DIR, unread_files
from swift_lb.check.host import (
    dispatcher_warnings,
    missing_directory,
    missing_user,
    silent_decoders,
    unsent_counters,
)
from swift_lb.check.in_force import PolicyConf, facts_of
from swift_lb.check.policies import policy_faults, policy_types, unread_policies
from swift_lb.check.servers import server_faults
from swift_lb.check.strays import (
    OF_STORAGE,
    misplaced_filters,
    misspelt_options,
    misspelt_sections,
    overruled,
    unused_filters,
)
from swift_lb.check.verdict import made
from swift_lb.check.words import source_of
from swift_lb.conf_file import interpolation_fault
from swift_lb.errors import ConfigError, SeamError
from swift_lb.proxy import seam
from swift_lb.proxy.dispatch.place import doubts
from swift_lb.proxy.paste_conf import is_ours, load
from swift_lb.proxy.policy_sections import policy_sections, read_defaults
from swift_lb.proxy.ring_nodes import unknown_weights
from swift_lb.replica_options import replica_options


def examine(path):
    """Return the Verdict on the proxy-server.conf at `path`, a file or a directory.

    Raises ConfigError if it cannot be read.
    """
    conf = load(path)
    faults, warnings = server_faults(conf, PROXY), _strays(conf)
    if conf.app is None:
        return made(path, PROXY, faults, warnings)
    sections, wrong = _sections(conf)
    types = policy_types()
    faults += wrong + policy_faults(sections, types, path, conf.options['__name__'])
    warnings += unread_policies(sections, types)
    if not is_ours(conf.app):
        return made(path, PROXY, faults, warnings, absent=_absent(conf))
    options, wrong = _replica_options(conf, sections)
    faults += wrong + _seam_faults()
    if faults:
        return made(path, PROXY, faults, warnings)
    policies, own = _policies(conf, options, sections, types)
    return made(path, PROXY, faults, _host(conf, options) + own + warnings,
                facts_of(conf, policies))


def _policies(conf, options, sections, types):
    """Return ([PolicyConf of each storage policy in `options`], warnings about their sections)."""
    policies, warnings, defaults = [], [], read_defaults(conf.path)
    app = conf.options['__name__']
    own = {int(index): {name: text for name, text in section.items()    # without [DEFAULT]
                        if conf.options.get(name) != text} for index, section in sections.items()}
    for index, chosen in options.items():
        given, section = (conf.options, f'app:{app}') if index is None else (
            own[index], f'{app}:policy:{index}')
        policies.append(PolicyConf(index, chosen, conf.options, given, {
            one: kind for one, kind in (types or {}).items()
            if one == index or (index is None and one not in options)}))
        for name, rest in policies[-1].warnings() + misspelt_options(given):
            of = 'DEFAULT' if defaults.get(name) == given[name] else section
            warnings.append(f'{conf.path}, [{of}], {name}{rest}')
    return policies, warnings


def _strays(conf):
    """Return the warnings about what has no effect in the conf."""
    return [*unread_files(conf.path), *misplaced_filters(conf, OF_STORAGE), *unused_filters(conf),
            *misspelt_sections(conf), *overruled(conf)]


def _sections(conf):
    """Return ({storage policy index: section}, [a fault] if a section cannot be interpolated)."""
    try:
        return policy_sections(conf.options), []
    except configparser.InterpolationError as err:
        return {}, [interpolation_fault(conf.path, err)]


def _replica_options(conf, sections):
    """Return ({storage policy index or None: ReplicaOptions}, faults of lb_ options)."""
    try:
        defaults = read_defaults(conf.path)
        return replica_options(conf.options, sections, conf.path, defaults), []
    except ConfigError as err:
        return {}, list(err.faults)


def _seam_faults():
    try:
        seam.verify()
    except SeamError as err:
        return [str(err)]
    return []


def _host(conf, options):
    """Return the warnings about this host."""
    strange = unknown_weights(conf.options.get('swift_dir', SWIFT_DIR), options)
    return [*(f'{conf.path}: {warning}' for warning in strange),
            *missing_user(conf.options, conf.path),
            *missing_directory(options[None].book, conf.path),
            *dispatcher_warnings(conf), *unsent_counters(conf),
            *doubts(conf.pipeline, conf.where, conf.foreign), *added_before_dispatcher(conf),
            *silent_decoders(conf)]


def _absent(conf):
    """Return the sentence on a proxy whose app is not swift-lb's."""
    where, ours = source_of(conf, 'app', conf.app.name), [
        context.name for context in conf.filters if is_ours(context)]
    if 'composit' in str(conf.app.protocol):
        return (f'{where}: a composite has its apps only at a start, so it is not known whether '
                'swift-lb is in force')
    return (f'{where}: swift-lb is not in force' + (f', but for {", ".join(ours)}' if ours else '')
            + '; write use = egg:swift-lb#proxy')
