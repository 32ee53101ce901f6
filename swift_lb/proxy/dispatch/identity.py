"""Who this proxy is among its peers: what [lb-agent] of lb-server.conf says, as long as it stands.

The agent and the dispatcher of a host have one name, one key and one instruction file, so they are
said once, where the agent has them. The file is looked at every LOOK seconds: keys change while
proxies run.
"""
import os
import socket
from typing import NamedTuple

from swift_lb.conf_file import AGENT, INSTRUCTION_FILE, read_sections
from swift_lb.errors import ConfigError

LOOK = 5.0      # seconds


class Identity(NamedTuple):
    """What a dispatcher has in common with the agent of its host."""

    node: str
    keys: tuple                 # of bytes: the first signs, all are good
    instruction_file: str


NOBODY = Identity('', (), INSTRUCTION_FILE)


def read(path):
    """Return the Identity in the conf file at `path`; raises ConfigError."""
    sections = read_sections(path, AGENT)
    said = {**sections.get('DEFAULT', {}), **sections[AGENT]}
    keys = tuple(said[name].strip().encode() for name in ('key', 'key2') if said.get(name))
    if not keys:
        raise ConfigError([f'{path}, [{AGENT}], key: must be set, the same on all nodes: a proxy '
                           'takes requests from peers that have it'])
    return Identity(said.get('node') or socket.gethostname(), keys,
                    said.get('instruction_file') or INSTRUCTION_FILE)


class IdentityFile:
    """The Identity in a file, read anew when the file is another."""

    def __init__(self, path, clock):
        self.fault, self._identity = None, NOBODY
        self._path, self._clock = path, clock
        self._look_at, self._seen = 0.0, None

    def current(self):
        """Return the Identity; NOBODY without one, and `fault` then says why there is none.

        One that can not be read any more stays: half an edit must not cut a proxy off.
        """
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + LOOK
            self._look()
        return self._identity

    def _look(self):
        try:
            status = os.stat(self._path)
            seen = status.st_ino, status.st_mtime_ns, status.st_size
            if seen != self._seen:
                self._identity, self._seen, self.fault = read(self._path), seen, None
        except (OSError, ConfigError) as err:
            self.fault = (f'{self._path}: {err.strerror}' if isinstance(err, OSError)
                          else str(err))
