"""`swift-lb check FILE`: print what is wrong with swift-lb's options in a proxy-server.conf.

No server is started. Swift's own options are checked by swift-proxy-server FILE --test-config.
"""
import configparser
import glob
import os
import socket

import swift
from swift.common.ring import RingData

from swift_lb.config import faults_of
from swift_lb.errors import ConfigError, SeamError
from swift_lb.model import Node
from swift_lb.proxy import seam
from swift_lb.proxy.dispatch import identity, place
from swift_lb.proxy.dispatch.options import DispatchOptions
from swift_lb.proxy.dispatch.options import server_faults as dispatcher_faults
from swift_lb.proxy.image.options import ImageFilterOptions
from swift_lb.proxy.status import StatusOptions
from swift_lb.replica_options import own_options, replica_options, unmatched

SECTION = 'app:proxy-server'  # the name that swift-proxy-server requires
DEFAULT = 'DEFAULT'
ENTRIES = {     # of setup.cfg, for a proxy's pipeline
    'app': ('proxy',), 'filter': ('lb_status', 'lb_dispatcher', 'lb_image', 'lb_handicap')}
OPTIONS_OF = {'lb_status': StatusOptions, place.NAME: DispatchOptions,      # filters
              'lb_image': ImageFilterOptions}
ELSEWHERE = {'lb_report': 'it belongs in object-server.conf'}
POLICY_PREFIX = 'proxy-server:policy:'
SECONDS = 1.0           # for which an answer is waited for
SLOW_START = '/proc/sys/net/ipv4/tcp_slow_start_after_idle'


def add_arguments(parser):
    """Add the arguments of `swift-lb check` to an argparse parser."""
    parser.add_argument('file', help='a proxy-server.conf, or a directory of conf files')


def run(args):
    """Print the faults of the conf `args.file`, return 1; if none, print its policies, return 0."""
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
    """Return (faults, {storage policy index or None: ReplicaOptions}, warnings) of a conf file."""
    faults, options, notes = [], {}, []
    try:
        sections = read_sections(path)
        faults += use_faults(sections, path) + policy_faults(sections, path)
        for place_faults in (place.faults, place.image_faults):
            faults += place_faults(place.pipeline_of(sections), f'{path}, [{place.PIPELINE}]')
        faults += server_faults(sections, path)
        options = replica_options(sections[SECTION], policy_sections(sections), path)
        notes = unknown_weights(sections[SECTION].get('swift_dir', '/etc/swift'), options)
        notes += (missing_directory(options[None].book) + dispatcher_warnings(sections)
                  + silent_decoders(sections))
        use = sections[SECTION].get('use', '')
        if entry_of(use) is None:
            notes.append(f'{path}, [{SECTION}], use = {use}: swift-lb is not in this proxy; write '
                         'use = egg:swift-lb#proxy')
    except ConfigError as err:
        faults.extend(err.faults)
    try:
        seam.verify()
    except SeamError as err:
        faults.append(str(err))
    return faults, {} if faults else options, notes


def entry_of(use):
    """Return `proxy` for the text `egg:swift-lb#proxy` of an option `use`; None for other packages.

    Egg names are compared as distribution names are: without case, and with `-`, `_`, `.` as equal.
    """
    egg, _hash, entry = use.partition('#')
    return entry if egg.lower().replace('_', '-').replace('.', '-') == 'egg:swift-lb' else None


def use_faults(sections, path):
    """Return a list of sentences: unknown entry points of swift-lb, wrong options of its filters.

    `sections` are {section: {option: text}} of the conf at `path`.
    """
    faults = []
    for name, section in sections.items():
        kind, entry = name.partition(':')[0], entry_of(section.get('use', ''))
        if entry is not None and entry not in ENTRIES.get(kind, ()):
            faults.append(f'{path}, [{name}], use = {section["use"]}: ' + ELSEWHERE.get(
                entry, f'swift-lb has no such {kind}; '
                       f'it has {", ".join(ENTRIES.get(kind, ())) or "none"}'))
        elif entry in OPTIONS_OF:
            faults += faults_of(OPTIONS_OF[entry], filter_options(section, sections),
                                f'{path}, [{name}]')
    return faults


def filter_options(section, sections):
    """Return the options of a filter's section as PasteDeploy gives them to the filter."""
    return {name: value for name, value in section.items()
            if name not in sections[DEFAULT] and not name.startswith('set ')}


def server_faults(sections, path):
    """Return a sentence for each TLS or PROXY option of the app, [] without a dispatcher.

    `sections` are {section: {option: text}} of the conf at `path`.
    """
    if place.NAME not in (entry for _name, entry in place.pipeline_of(sections)):
        return []
    return dispatcher_faults(sections[SECTION], path)


def dispatcher_warnings(sections):
    """Return the warnings about each dispatcher in the pipeline of the conf `sections`.

    Its name or key cannot be read; or it is to fetch from other clusters, and this host forgets how
    much a connection carries while it is idle.
    """
    warnings = []
    for name in (name for name, entry in place.pipeline_of(sections) if entry == place.NAME):
        options = filter_options(sections.get(f'filter:{name}', {}), sections)
        try:
            read = identity.read(options.get('lb_conf', DispatchOptions.lb_conf).strip())
            warnings += slow_start() if read.cluster else []
        except ConfigError as err:
            warnings += [f'[filter:{name}], lb_conf: {fault}; every request would be served here'
                      for fault in err.faults]
    return warnings


def silent_decoders(sections):
    """Return [a warning] if no swift-lb-image answers the lb_image of the conf `sections`, else [].

    Of several, each has one.
    """
    warnings = []
    for name in (name for name, entry in place.pipeline_of(sections) if entry == place.IMAGES):
        options = filter_options(sections.get(f'filter:{name}', {}), sections)
        path = options.get('socket', ImageFilterOptions.socket).strip()
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.settimeout(SECONDS)
                one.connect(path)
        except OSError as err:
            warnings.append(f'[filter:{name}], socket = {path}: no swift-lb-image answers there '
                            f'({err.strerror or err}); images would be sent without being decoded')
    return warnings


def slow_start(path=SLOW_START):
    """Return [a warning] if an idle TCP connection begins slowly again on this host, else []."""
    try:
        with open(path) as file:
            if file.read().strip() != '1':
                return []
    except OSError:     # another kernel
        return []
    return ['net.ipv4.tcp_slow_start_after_idle = 1: an idle connection to another cluster begins '
            'slowly again; sysctl net.ipv4.tcp_slow_start_after_idle=0 avoids it']


def policy_faults(sections, path):
    """Return a fault for each storage policy with a section in the conf but not in swift.conf."""
    swift_conf = configparser.RawConfigParser(strict=False)
    swift_dir = sections[SECTION].get('swift_dir', '/etc/swift')
    try:
        if not swift_conf.read(os.path.join(swift_dir, 'swift.conf'), encoding='latin-1'):
            return []
    except (ValueError, configparser.Error):
        return []  # Swift reports a swift.conf that cannot be parsed
    known = {name.partition(':')[2] for name in swift_conf.sections()
             if name.startswith('storage-policy:')} or {'0'}
    return [f'{path}, [{POLICY_PREFIX}{index}]: there is no storage policy {index} in '
            f'{swift_dir}/swift.conf'
            for index in policy_sections(sections) if index.isdecimal() and index not in known]


def read_sections(path):
    """Return {section: {option: value}} of a conf file or directory, [DEFAULT] merged into each.

    Raises ConfigError if it cannot be read or parsed, or has no section of a proxy app.
    """
    parser = parsed(path)
    if not parser.has_section(SECTION):
        raise ConfigError([f'{path}: has no section [{SECTION}]; is it a proxy-server.conf?'])
    sections = {section: dict(parser.items(section)) for section in parser.sections()}
    return sections | {SECTION: as_loaded(sections[SECTION], parser.defaults()),
                       DEFAULT: dict(parser.defaults())}


def read_defaults(path):
    """Return [DEFAULT] as it is in the conf at `path`; raises ConfigError if parsing fails.

    PasteDeploy's global_conf can differ from it, since a line `set` in a section changes that.
    """
    return dict(parsed(path).defaults())


def parsed(path):
    """Return a RawConfigParser that has read a conf file or directory; raises ConfigError."""
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # as in Swift, LB_POLICY is not lb_policy
    try:
        for name in conf_files(path):
            with open(name, encoding='utf-8') as lines:
                parser.read_file(lines)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        reason = ' '.join(str(err).split())
        raise ConfigError([f'{path}: can not be read as a conf file: {reason}']) from err
    return parser


def as_loaded(options, defaults):
    """Return the options of an app's section as PasteDeploy gives them to the app.

    [DEFAULT], here `defaults`, overrides the section's options, unless they are `set NAME = VALUE`.
    """
    own = {name: value for name, value in options.items() if name not in defaults}
    overrides = {name.removeprefix('set ').strip(): own.pop(name)
                 for name in list(own) if name.startswith('set ')}
    return {**defaults, **overrides, **own}


def conf_files(path):
    """Return the paths that Swift reads for `path`: the file, or a directory's *.conf, sorted."""
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(path, name) for name in sorted(os.listdir(path))
            if name.endswith('.conf') and not name.startswith('.')]


def policy_sections(sections):
    """Return {storage policy index, a str: {option: text}} of the policies' sections in a conf."""
    return {name.removeprefix(POLICY_PREFIX): own_options(section, sections[DEFAULT])
            for name, section in sections.items() if name.startswith(POLICY_PREFIX)}


def unknown_weights(swift_dir, options):
    """Return a warning for each weight that no device of the rings in `swift_dir` matches."""
    if not any(chosen.weights for chosen in options.values()):
        return []
    try:
        return unmatched(options, nodes_of_rings(swift_dir))
    except ValueError as err:
        return [f'lb_weights: not held against the rings: {err}']


def nodes_of_rings(swift_dir):
    """Yield the Node of every device in the object, account and container rings of `swift_dir`.

    Raises ValueError, with the path of the ring, for the first one that cannot be read.
    """
    for path in sorted(glob.glob(os.path.join(glob.escape(swift_dir), '*.ring.gz'))):
        try:
            devices = RingData.load(path, metadata_only=True).devs
        except Exception as err:  # a damaged file raises whatever its damage leads to
            raise ValueError(f'{path} can not be read as a ring: {err!r}') from err
        for device in filter(None, devices):
            yield Node(device['ip'], device['port'], device['device'])


def missing_directory(book):
    """Return [a warning] if the directory of the path `book` does not exist, else []."""
    directory = os.path.dirname(book)
    if not directory or os.path.isdir(directory):
        return []
    return [f'lb_book = {book}: there is no directory {directory}; each worker would keep a book '
            'of its own']
