"""The options of /etc/swift/lb-server.conf's [lb-image]."""
import socket
from dataclasses import dataclass
from typing import NamedTuple

from swift_lb import conf_file
from swift_lb.config import (
    NO_OPTIONS,
    absolute_path,
    at_least,
    byte_count,
    host_port,
    option,
    options_of,
    whole,
    words,
)
from swift_lb.errors import ConfigError

SECTION = conf_file.IMAGE
MiB, TiB = 1 << 20, 1 << 40
MAX_PIXELS = 1 << 28        # a result of more does not fit into one message
CACHE_PORT = 6212       # UDP, by default
port = whole(1, 65535)


def peers(text):
    """Parse `HOST[:PORT], ...` into ((host, port), ...); an IPv6 address stands in brackets."""
    return tuple(dict.fromkeys(host_port(word, CACHE_PORT) for word in words(text)))


class CacheIdentity(NamedTuple):
    """The name and the keys of this host among its peers, from [lb-agent]."""

    node: str
    keys: tuple     # of bytes: the first signs, all verify


@dataclass(frozen=True, kw_only=True)
class ImageServiceOptions:
    """The options of swift-lb-image; `etc/lb-server.conf-sample` explains each of them."""

    socket: str = option(conf_file.IMAGE_SOCKET, absolute_path, '', 'where proxies connect')
    workers: int = option(0, whole(0, 256), '', 'processes that decode; 0: one a core')
    memory: int = option(1 << 30, byte_count(64 * MiB, TiB), 'bytes', 'memory of a worker')
    seconds: int = option(20, whole(1, 3600), 'seconds', 'CPU time of a job')
    pixels: int = option(1 << 26, whole(1, MAX_PIXELS), 'pixels', 'limit of what is decoded')
    queue: int = option(64, whole(1, 10_000), '', 'jobs that may wait')
    cache: int = option(1 << 30, byte_count(0, 64 * TiB), 'bytes', 'of all results; 0: none')
    cache_dir: str = option('/var/cache/swift-lb', absolute_path, '', 'where results are kept')
    cache_least: float = option(0.005, at_least(0), 'seconds', 'that a kept result must save')
    peers: tuple = option((), peers, '', '(host, port) of hosts that are told what is kept')
    bind_ip: str = option('0.0.0.0', str, '', 'address at which the others tell it')
    bind_port: int = option(CACHE_PORT, port, '', 'UDP port for that')


OPTIONS = options_of(ImageServiceOptions)


def image_options(conf, path='lb-server.conf', default=NO_OPTIONS):
    """Return the ImageServiceOptions of the section [lb-image]; raises ConfigError with all faults.

    `conf` is {option: text} of the section and `default` that of [DEFAULT]; `path` is the conf file
    that the sentences name.
    """
    faults = []
    values = conf_file.parse_daemon(SECTION, conf, default, OPTIONS, path, faults)
    if faults:
        raise ConfigError(faults)
    return ImageServiceOptions(**values)


def read(path):
    """Return the ImageServiceOptions of a conf file; raises ConfigError with all faults."""
    given = conf_file.read_sections(path, SECTION)
    options = image_options(given[SECTION], path, given.get('DEFAULT', NO_OPTIONS))
    if options.peers:
        identity(path)
    return options


def identity(path):
    """Return the CacheIdentity in a conf file; raises ConfigError if it has no key."""
    given = conf_file.all_sections(path)
    agent = {**given.get('DEFAULT', NO_OPTIONS), **given.get(conf_file.AGENT, NO_OPTIONS)}
    keys = tuple(agent[name].strip().encode() for name in ('key', 'key2') if agent.get(name))
    if not keys:
        raise ConfigError([f'{path}, [{SECTION}], peers: [{conf_file.AGENT}] must have a key, the '
                           'same on all hosts'])
    return CacheIdentity(agent.get('node') or socket.gethostname(), keys)
