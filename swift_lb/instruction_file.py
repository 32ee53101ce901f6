"""The file of the current Instruction: the agent replaces it whole, other processes read it.

A reader checks at most every CHECK_INTERVAL whether the file was replaced, which costs one stat(),
and reads it only then. If the file cannot be read, has expired, is damaged or was written before
the host's last boot, no Instruction is in force, and the reader works as plain Swift.
"""
import contextlib
import functools
import os

from swift_lb import clock as host_clock
from swift_lb.regular_file import FileWatch, open_regular
from swift_lb.wire.instruction import decode, encode

CHECK_INTERVAL = 0.02   # seconds
MAX_BYTES = 1 << 20     # of a file; the rest is not read
# O_NONBLOCK: a FIFO in its place is an error, and does not block.
NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK


@functools.cache
def boot():
    """Return the hexadecimal id of the host's boot; raises OSError or ValueError without one."""
    return host_clock.boot().hex


def write(path, instruction):
    """Replace the file at `path` by one with the Instruction `instruction`; see replace_file()."""
    replace_file(path, encode(instruction, boot()))


def replace_file(path, data):
    """Replace the file at `path` by one with the bytes `data`.

    If that fails, the temporary file is removed, and OSError is raised. The new file is not flushed
    to disk: after the next boot no reader would accept it.
    """
    temporary = f'{path}.{os.getpid()}'
    try:
        descriptor = os.open(temporary, NEW, 0o644)
        with open(descriptor, 'wb') as new:
            new.write(data)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def read_file(path, decode_data):
    """Return (value, None) of the file at `path`, or (None, the reason) if it has none.

    `decode_data(data, boot)` returns (value, None) of the file's bytes, or (None, what is wrong).
    """
    try:
        with open_regular(path, 'rb') as file:
            value, fault = decode_data(file.read(MAX_BYTES), boot())
    except (OSError, ValueError) as err:
        return None, f'{path}: {getattr(err, "strerror", None) or err}'
    return value, fault and f'{path} {fault}'


def read(path, now):
    """Return (Instruction, None), or (None, the reason) if none is in force at `now`.

    `now` is a monotonic time in seconds.
    """
    instruction, fault = read_file(path, decode)
    if fault is not None:
        return None, fault
    if instruction.expires_at <= now:
        return None, f'{path} has expired {now - instruction.expires_at:.1f} s ago'
    return instruction, None


class InstructionFile:
    """Reads the Instruction from a file, again whenever the file is replaced."""

    def __init__(self, path, clock):
        self._path, self._clock = path, clock
        self._check_at, self._watch = 0.0, FileWatch(path)
        self._instruction, self.fault = None, None

    def current(self):
        """Return the Instruction in force now, or None; `fault` is the reason why there is none."""
        now = self._clock()
        if now >= self._check_at:
            self._check_at = now + CHECK_INTERVAL
            self._refresh(now)
        instruction = self._instruction
        if instruction is not None and instruction.expires_at <= now:
            self.fault = f'{self._path} has expired: swift-lb-agent does not renew it'
            return None
        return instruction

    def _refresh(self, now):
        if self._watch.has_changed():
            self._instruction, self.fault = read(self._path, now)
