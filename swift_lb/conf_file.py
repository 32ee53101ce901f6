"""/etc/swift/lb-server.conf: the names of the options of its three daemons, and its parser.

The options in [DEFAULT] hold for all daemons, the agent, the DNS service and the decoder of images,
so each must know the names of the others' options. NAMES lists them: no daemon imports the parsers
of another.
"""
import configparser
import os
import re
import socket
from itertools import chain
from pathlib import Path

from swift_lb.config import InvalidError, each, matching, parse_section, words
from swift_lb.errors import ConfigError
from swift_lb.regular_file import open_regular
from swift_lb.wire.cluster_summary import HOST
from swift_lb.wire.node_report import NAME
from swift_lb.wire.relay import relay_address

AGENT, DNS, CLUSTER, IMAGE = 'lb-agent', 'lb-dns', 'lb-cluster', 'lb-image'
# Not lb-image.sock: swift-init reads a pid from each file of /var/run/swift that begins so.
IMAGE_SOCKET = '/var/run/swift/images.sock'
INSTRUCTION_FILE = '/var/run/swift/lb-instruction.json'
CLUSTERS_FILE = '/var/run/swift/lb-clusters.json'
CLUSTER_PORT = 6211     # UDP, of [lb-cluster], by default
NAMES = {section: tuple(names.split()) for section, names in {
    AGENT: '''node bind_ip bind_port http_ip http_port http_key peers key key2 mode interval proxy
              proxy_conf check instruction_file dampening forecast ramp devices interfaces speed
              rules metric alpha beta gamma rho band ratio floor tau hysteresis reject critical''',
    DNS: '''node zone names ns hostmaster proxies mode ttl ttl_min patience ns_ttl negative_ttl
            refresh retry expire https bind_ip bind_port workers instruction_file tcp_clients
            tcp_timeout rrl_rate rrl_slip rrl_exempt cookie_key cookie_key2 nsid proxy_port http_ip
            http_port http_key update_server update_key_name update_key update_algorithm
            update_interval''',
    IMAGE: '''socket workers memory seconds pixels queue cache cache_dir cache_least peers bind_ip
              bind_port''',
}.items()}
# Options that Swift's Daemon reads from a daemon's section, beside log_*.
SWIFTS = frozenset((
    'user', 'swift_dir', 'daemonize', 'nice_priority', 'ionice_class', 'ionice_priority',
    'disable_fallocate', 'fallocate_reserve', 'eventlet_debug', '__file__', '__name__', 'here'))
MARK = '\ufeff'       # with which editors of other systems begin a file
node_name = matching(NAME, 'a name of letters, digits, ".", "_" and "-", at most 63')
_trusted_host = matching(re.compile(rf'(?:\*\.)?{HOST}'),
                         'the name of a host, or *.DOMAIN, in small letters and without port')


def trusted_hosts(text):
    """Return the tuple of hosts and *.DOMAINs in `text`, the option `trust` of [lb-cluster].

    Clients may be redirected to them. Raises InvalidError with a sentence for each wrong one.
    """
    return tuple(each(_trusted_host, words(text)))


def relay_texts(text):
    """Return the tuple of addresses in `text`, the option `relays`, each in its one spelling.

    Raises InvalidError with a sentence for each wrong one.
    """
    return tuple(each(_relay_text, words(text)))


def _relay_text(word):
    try:
        address = relay_address(word)
    except ValueError:
        address = None
    if address is None or not address.is_elsewhere:
        raise InvalidError(f'{word!r} must be IP:PORT or https://HOST:PORT, IPv6 in brackets, a '
                           'HOST of at most 63 characters, and not of this very host')
    return address.text


def is_swifts(name):
    """Return whether the option `name` is one that Swift's own class Daemon reads."""
    return name in SWIFTS or name.startswith('log_')


def parse_daemon(section, conf, default, table, path, faults):
    """Return {option: value} of a daemon's section; append a sentence for each fault to `faults`.

    `conf` is the section named `section` as {option: text}. `default` is the section [DEFAULT]: it
    holds for what `conf` does not set, and may have options of other daemons. `table` is {name:
    Option}, `path` the conf file that the sentences name.
    """
    inherited = {name: text for name, text in default.items() if name not in conf}
    values = parse_section(inherited, table, f'{path}, [DEFAULT]', faults,
                           others=tuple(chain(*NAMES.values())), is_ignored=is_swifts)
    return values | parse_section(conf, table, f'{path}, [{section}]', faults,
                                  is_ignored=is_swifts)


def unnamed(values, where):
    """Return [a sentence] if there is no option `node` and the host's name cannot replace it.

    Else it returns []. `values` are the options of a section, `where` names file and section.
    """
    host = socket.gethostname()
    if values.get('node') or NAME.fullmatch(host):
        return []
    return [f'{where}, node: must be set, as the name of the host, {host!r}, is none of letters, '
            'digits, ".", "_" and "-", at most 63']


def read_sections(path, wanted):
    """Return {section: {option: text}} of the conf file at `path`.

    Raises ConfigError if it cannot be read, or lacks the section `wanted`.
    """
    sections = all_sections(path)
    if wanted not in sections:
        raise ConfigError([f'{path}: there is no section [{wanted}]'])
    return sections


def all_sections(path):
    """Return {section: {option: text}} of a conf file; raises ConfigError if it is unreadable."""
    parser = configparser.RawConfigParser(default_section='')     # [DEFAULT] stays a section
    try:
        with open_regular(path, encoding='utf-8') as conf:
            parser.read_file(conf)
    except (OSError, UnicodeDecodeError, configparser.Error) as err:
        raise ConfigError(unreadable(err, path)) from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def image_socket(given):
    """Return the path of the socket of swift-lb-image, None without [lb-image].

    `given` is {section: {option: text}}.
    """
    if IMAGE not in given:
        return None
    return (given.get('DEFAULT', {}) | given[IMAGE]).get('socket') or IMAGE_SOCKET


def unreadable(err, path):
    """Return a list of sentences on the error `err` in reading the conf at `path`; none quotes it.

    `path` may be a directory of files that are one conf.
    """
    file = getattr(err, 'source', None) or path
    if isinstance(err, configparser.ParsingError):
        if getattr(err, 'line', '').startswith(MARK):
            return [f'{file}, line 1: begins with a byte order mark, U+FEFF; remove it']
        lines = [number for number, _text in getattr(err, 'errors', ())] or [err.lineno]
        return [f'{file}, line {number}: must be [SECTION], OPTION = VALUE below one, or a comment'
                for number in lines]
    if isinstance(err, configparser.DuplicateOptionError):
        return [f'{file}, line {err.lineno}: [{err.section}] has {err.option} twice']
    if isinstance(err, configparser.DuplicateSectionError):
        return [f'{file}, line {err.lineno}: [{err.section}] is there twice']
    if isinstance(err, UnicodeDecodeError):
        return [_no_text(err.encoding, path)]
    return [f'{path}: {getattr(err, "strerror", None) or err}']


def interpolation_fault(path, error):
    """Return the sentence on a configparser.InterpolationError; it does not show the value."""
    where = f'{path}, [{error.section}], {error.option}'
    if isinstance(error, configparser.InterpolationMissingOptionError):
        return f'{where}: %({error.reference})s is set neither there nor in [DEFAULT]'
    if isinstance(error, configparser.InterpolationDepthError):
        return f'{where}: its %(NAME)s leads to itself'
    return (f'{where}: %(NAME)s must name an option of the section or of [DEFAULT], and beside it '
            'a percent sign is written %%')


def _no_text(encoding, path):
    """Return the sentence on the first line of the conf at `path` that is not in `encoding`."""
    files = sorted(Path(path).glob('*.conf')) if os.path.isdir(path) else [path]
    for file in files:
        with open_regular(file, 'rb') as conf:
            for number, line in enumerate(conf, 1):
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as err:
                    return (f'{file}, line {number}: byte 0x{line[err.start]:02x} is no text in '
                            f'{encoding}, the encoding of confs here')
    return f'{path}: is no text in {encoding}'
