"""The check of a proxy-server.conf."""
import configparser

from swift_lb.check.conf_kinds import PROXY, SWIFT_DIR
from swift_lb.check.host import dispatcher_warnings, missing_directory, silent_decoders
from swift_lb.check.in_force import PolicyConf, facts_of
from swift_lb.check.policies import policy_faults, policy_types, unread_policies
from swift_lb.check.servers import server_faults
from swift_lb.check.strays import (
    OF_STORAGE,
    POLICY,
    misplaced_filters,
    misspelt_options,
    misspelt_sections,
    unused_filters,
)
from swift_lb.check.verdict import made
from swift_lb.check.words import interpolation_fault
from swift_lb.errors import ConfigError, SeamError
from swift_lb.proxy import seam
from swift_lb.proxy.dispatch.place import doubts
from swift_lb.proxy.paste_conf import APP, is_ours, load
from swift_lb.proxy.policy_sections import policy_sections
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
    faults += wrong + policy_faults(sections, types, path)
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
    policies, warnings = [], []
    own = {int(index): {name: text for name, text in section.items()    # without [DEFAULT]
                        if conf.options.get(name) != text} for index, section in sections.items()}
    for index, chosen in options.items():
        given = conf.options if index is None else own[index]
        where = f'{conf.path}, [' + (f'app:{PROXY}]' if index is None else f'{POLICY}:{index}]')
        policies.append(PolicyConf(index, chosen, conf.options, given, types))
        warnings += policies[-1].warnings(where) + misspelt_options(given, where)
    return policies, warnings


def _strays(conf):
    """Return the warnings about what has no effect in the conf."""
    return [*misplaced_filters(conf, OF_STORAGE), *unused_filters(conf), *misspelt_sections(conf)]


def _sections(conf):
    """Return ({storage policy index: section}, [a fault] if a section cannot be interpolated)."""
    try:
        return policy_sections(conf.options), []
    except configparser.InterpolationError as err:
        return {}, [interpolation_fault(conf.path, err)]


def _replica_options(conf, sections):
    """Return ({storage policy index or None: ReplicaOptions}, faults of lb_ options)."""
    try:
        return replica_options(conf.options, sections, conf.path), []
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
    return [*unknown_weights(conf.options.get('swift_dir', SWIFT_DIR), options),
            *missing_directory(options[None].book), *dispatcher_warnings(conf),
            *doubts(conf.pipeline, conf.where, conf.foreign), *silent_decoders(conf)]


def _absent(conf):
    """Return the sentence on a proxy whose app is not swift-lb's."""
    section = conf.loader.find_config_section(APP, conf.app.name)
    use = conf.loader.parser.get(section, 'use', raw=True, fallback='')
    return (f'{conf.path}, [{section}], use = {use}: swift-lb is not in force; write '
            'use = egg:swift-lb#proxy')
