"""The name, keys and Instruction that this proxy shares with the agent of its host.

They are set once, in [lb-agent] of lb-server.conf. Keys change while proxies run, so the file is
looked at every CHECK_INTERVAL seconds.
"""
import socket
from typing import NamedTuple

from swift_lb.conf_file import AGENT, INSTRUCTION_FILE, read_sections
from swift_lb.dispatch.view import view
from swift_lb.errors import ConfigError
from swift_lb.instruction_file import InstructionFile
from swift_lb.regular_file import FileWatch
from swift_lb.replica_options import target_key

CHECK_INTERVAL = 5.0      # seconds


class Identity(NamedTuple):
    """The name, keys and instruction file that a dispatcher shares with the agent of its host."""

    node: str                   # its name
    keys: tuple                 # of bytes: the first signs, all verify
    instruction_file: str


UNKNOWN_IDENTITY = Identity('', (), INSTRUCTION_FILE)


def read(path):
    """Return the Identity in the conf file at `path`; raises ConfigError."""
    sections = read_sections(path, AGENT)
    options = {**sections.get('DEFAULT', {}), **sections[AGENT]}
    keys = tuple(options[name].strip().encode() for name in ('key', 'key2') if options.get(name))
    if not keys:
        raise ConfigError([f'{path}, [{AGENT}], key: must be set, the same on all nodes: a proxy '
                           'takes requests from peers that have it'])
    return Identity(options.get('node') or socket.gethostname(), keys,
                    options.get('instruction_file') or INSTRUCTION_FILE)


class IdentityFile:
    """The Identity in the conf file of the agent, read again when the file changes."""

    def __init__(self, path, clock):
        self.fault, self._identity = None, UNKNOWN_IDENTITY
        self._path, self._clock = path, clock
        self._look_at, self._watch = 0.0, FileWatch(path)

    def current(self):
        """Return the Identity; UNKNOWN_IDENTITY without one, and `fault` is then a sentence on why.

        If the file can not be read any more, the last Identity stays: half an edit must not cut a
        proxy off.
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
        """`identity()` returns the Identity; `clock()` returns seconds of a monotonic clock."""
        self._identity, self._clock = identity, clock
        self._file = self._path = None

    def current(self):
        """Return the Instruction that holds now; None without one, or without a key for peers."""
        identity = self._identity()
        if not identity.keys:
            return None
        if identity.instruction_file != self._path:
            self._path = identity.instruction_file
            self._file = InstructionFile(self._path, self._clock)
        return self._file.current()

    def view(self, instruction):
        """Return what an Instruction means to this proxy, a DispatchView."""
        return view(instruction, self._identity().node, address_of)

    @property
    def fault(self):
        """Why no Instruction holds, a sentence; None if one does."""
        return self._file and self._file.fault


def address_of(text):
    """Return (ip, port) of 'IP:PORT'; raises ValueError for anything else."""
    ip, port = target_key(text)
    return ip, port
