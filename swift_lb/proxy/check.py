"""`swift-lb check FILE`: what would a start with this proxy-server.conf say? Starts nothing."""
import configparser
import os

import swift

from swift_lb.config import replica_options, unmatched
from swift_lb.errors import ConfigError, SeamError
from swift_lb.proxy import seam

SECTION = 'app:proxy-server'  # the name swift-proxy-server insists on
POLICY_PREFIX = 'proxy-server:policy:'


def add_arguments(parser):
    """Declare the command line."""
    parser.add_argument('file', help='a proxy-server.conf, or a directory of conf files')


def run(args):
    """Print every fault, or what is in force; return 0 if a start would succeed, else 1."""
    faults, options, notes = examine(args.file)
    for fault in faults:
        print(f'error: {fault}')
    for note in notes:
        print(f'warning: {note}')
    if faults:
        return 1
    for index, chosen in options.items():
        name = 'every storage policy' if index is None else f'storage policy {index}'
        print(f'{name}: lb_policy = {chosen.policy}'
              if chosen.enabled else f"{name}: Swift's own order (lb_enabled = false)")
    print(f'Swift {swift.__version__}: its internals are the ones swift-lb knows')
    return 0


def examine(path):
    """Return (faults, {index: ReplicaOptions}, warnings) of the conf at `path`."""
    faults, options, notes = [], {}, []
    try:
        sections = read_sections(path)
        options = replica_options(sections[SECTION], policy_sections(sections), path)
        notes = unknown_weights(sections[SECTION].get('swift_dir', '/etc/swift'), options)
        use = sections[SECTION].get('use', '')
        if not is_ours(use):
            notes.append(f'{path}, [{SECTION}], use = {use}: swift-lb is not in this proxy; write '
                         'use = egg:swift-lb#proxy')
    except ConfigError as err:
        faults.extend(err.faults)
    try:
        seam.verify()
    except SeamError as err:
        faults.append(str(err))
    return faults, options, notes


def is_ours(use):
    """Return whether a `use =` names our app; egg names compare as distribution names do."""
    egg, _hash, entry = use.partition('#')
    return egg.lower().replace('_', '-').replace('.', '-') == 'egg:swift-lb' and entry == 'proxy'


def read_sections(path):
    """Return {section: {option: value}} of a conf file or directory, [DEFAULT] merged into each.

    Raises ConfigError where there is none, it can not be parsed, or it has no proxy app.
    """
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # as in Swift, LB_POLICY is not lb_policy
    try:
        for name in conf_files(path):
            with open(name, encoding='utf-8') as lines:
                parser.read_file(lines)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        reason = ' '.join(str(err).split())
        raise ConfigError([f'{path}: can not be read as a conf file: {reason}']) from err
    if not parser.has_section(SECTION):
        raise ConfigError([f'{path}: has no section [{SECTION}]; is it a proxy-server.conf?'])
    sections = {section: dict(parser.items(section)) for section in parser.sections()}
    return sections | {SECTION: as_loaded(sections[SECTION], parser.defaults())}


def as_loaded(options, defaults):
    """Return the options of an app's section as PasteDeploy gives them to the app.

    What [DEFAULT] says holds there, whatever the section says, but for `set name = value`.
    """
    own = {name: value for name, value in options.items() if name not in defaults}
    overrides = {name.removeprefix('set ').strip(): own.pop(name)
                 for name in list(own) if name.startswith('set ')}
    return {**defaults, **overrides, **own}


def conf_files(path):
    """Return the files Swift would read for `path`: itself, or a directory's *.conf in order."""
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(path, name) for name in sorted(os.listdir(path))
            if name.endswith('.conf') and not name.startswith('.')]


def policy_sections(sections):
    """Return {storage policy index: its section}, as Swift's parse_per_policy_config."""
    return {name.removeprefix(POLICY_PREFIX): section
            for name, section in sections.items() if name.startswith(POLICY_PREFIX)}


def unknown_weights(swift_dir, options):
    """Return a warning for each weight that no device of the rings in `swift_dir` matches."""
    if not any(chosen.weights for chosen in options.values()):
        return []
    try:
        return unmatched(options, seam.nodes_of_rings(swift_dir))
    except ValueError as err:
        return [f'lb_weights: not held against the rings: {err}']
