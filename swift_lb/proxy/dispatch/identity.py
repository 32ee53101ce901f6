"""The name, keys and Instruction that this proxy shares with the agent of its host.

Name and keys are set in [lb-agent] of lb-server.conf only. Keys change while proxies run, so a
proxy checks every CHECK_INTERVAL seconds whether that file has changed.
"""
import socket
from typing import NamedTuple

from swift_lb.conf_file import (
    AGENT,
    CLUSTER,
    CLUSTER_PORT,
    CLUSTERS_FILE,
    INSTRUCTION_FILE,
    image_socket,
    read_sections,
    relay_texts,
    trusted_hosts,
)
from swift_lb.config import InvalidError
from swift_lb.dispatch.view import view
from swift_lb.errors import ConfigError
from swift_lb.instruction_file import InstructionFile
from swift_lb.regular_file import FileWatch
from swift_lb.replica_options import target_key
from swift_lb.wire.relay import without_scheme

CHECK_INTERVAL = 5.0      # seconds
WILDCARDS = {'': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1'}     # where to reach these


class ClusterIdentity(NamedTuple):
    """The name, keys, clusters' file and agent of this host's cluster: [lb-cluster]."""

    name: str
    keys: tuple                 # of bytes: the first signs, all verify
    clusters_file: str
    agent: tuple                # (ip, port) at which this host's agent receives observations
    region: int = 0             # its number in the rings, 0 if it is no region
    url: str = ''               # at which clients reach it
    trust: tuple = ()           # hosts and *.DOMAINs to which clients may be redirected
    relays: tuple = ()          # HOST:PORTs in front of the proxies, which other clusters ask
    ca_file: str = ''           # of the authorities of the others' certificates; '': the system's


class Identity(NamedTuple):
    """The name, keys and instruction file that a dispatcher shares with the agent of its host."""

    node: str                   # its name
    keys: tuple                 # of bytes: the first signs, all verify
    instruction_file: str
    cluster: ClusterIdentity | None = None
    image_socket: str | None = None     # of swift-lb-image; None: this host has none


UNKNOWN_IDENTITY = Identity('', (), INSTRUCTION_FILE)


def read(path):
    """Return the Identity in the agent's conf file at `path`; raises ConfigError for a fault."""
    sections = read_sections(path, AGENT)
    options = {**sections.get('DEFAULT', {}), **sections[AGENT]}
    keys = tuple(options[name].strip().encode() for name in ('key', 'key2') if options.get(name))
    if not keys:
        raise ConfigError([f'{path}, [{AGENT}], key: must be set, the same on all nodes: a proxy '
                           'takes requests from peers that have it'])
    return Identity(options.get('node') or socket.gethostname(), keys,
                    options.get('instruction_file') or INSTRUCTION_FILE,
                    _cluster(sections.get(CLUSTER, {}), options.get('bind_ip'), path),
                    image_socket(sections))


def _cluster(section, bind_ip, path):
    """Return the ClusterIdentity of [lb-cluster], None if it has no name or no key.

    `bind_ip` is that of [lb-agent], or None. Raises ConfigError, with a sentence that names `path`,
    for a wrong `trust` or `relays`.
    """
    keys = tuple(section[name].strip().encode() for name in ('key', 'key2') if section.get(name))
    if not (keys and section.get('name')):
        return None
    region = section.get('region', '')
    trust = _parsed(section, 'trust', trusted_hosts, path)
    relays = tuple(map(without_scheme, _parsed(section, 'relays', relay_texts, path)))
    return ClusterIdentity(section['name'], keys, section.get('clusters_file') or CLUSTERS_FILE,
                           _agent(section, bind_ip), int(region) if region.isdecimal() else 0,
                           section.get('url', '').strip(), trust, relays,
                           section.get('ca_file', '').strip())


def _parsed(section, name, parse, path):
    text = section.get(name, '')
    try:
        return parse(text)
    except InvalidError as err:
        raise ConfigError([f'{path}, [{CLUSTER}], {name} = {text}: {err}']) from None


def _agent(section, bind_ip):
    ip, port = section.get('bind_ip') or bind_ip or '', section.get('bind_port', '')
    return WILDCARDS.get(ip, ip), int(port) if port.isdecimal() else CLUSTER_PORT


class IdentityFile:
    """Reads the Identity from the conf file of the agent, again when the file changes."""

    def __init__(self, path, clock):
        self.fault, self._identity = None, UNKNOWN_IDENTITY
        self._path, self._clock = path, clock
        self._look_at, self._watch = 0.0, FileWatch(path)

    def current(self):
        """Return the last Identity that was read, UNKNOWN_IDENTITY if none was.

        If the file cannot be read now, `fault` is a sentence on why; the last Identity still holds,
        so that a half-finished edit does not cut a proxy off from its peers.
        """
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + CHECK_INTERVAL
            self._refresh()
        return self._identity

    def _refresh(self):
        if not self._watch.has_changed() and self.fault is None:
            return
        try:
            self._identity, self.fault = read(self._path), None
        except ConfigError as err:
            self.fault = str(err)


class CurrentInstruction:
    """Reads the Instruction from the file that the Identity names."""

    def __init__(self, identity, clock):
        """`identity()` returns the current Identity, `clock()` seconds of a monotonic clock."""
        self._identity, self._clock = identity, clock
        self._file = self._path = None

    def current(self):
        """Return the Instruction in force; None without one, or if the Identity has no key."""
        identity = self._identity()
        if not identity.keys:
            return None
        if identity.instruction_file != self._path:
            self._path = identity.instruction_file
            self._file = InstructionFile(self._path, self._clock)
        return self._file.current()

    def view(self, instruction):
        """Return the DispatchView of an Instruction: this proxy, its peers, and their states."""
        return view(instruction, self._identity().node, address_of)

    @property
    def fault(self):
        """A sentence on why the Instruction cannot be used; None if it can, or no file is known."""
        return self._file and self._file.fault


def address_of(text):
    """Return (ip, port) of the text IP:PORT; raises ValueError for any other text."""
    ip, port = target_key(text)
    return ip, port
