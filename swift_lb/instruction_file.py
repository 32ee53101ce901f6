"""The current Instruction in a file: replaced as a whole, read without being asked for it twice.

Readers look whether the file is another at most each LOOK seconds, which costs one stat(), and read
it only then. Whatever keeps them from it, an expired, damaged or foreign one too, there is no
instruction: they go on as plain Swift.
"""
import contextlib
import functools
import os

from swift_lb import boot as host_boot
from swift_lb.regular_file import FileWatch, open_regular
from swift_lb.wire.instruction import decode, encode

LOOK = 0.02         # seconds
MOST = 1 << 20      # bytes of a file that is worth reading
# A FIFO in its place is an error, and is not waited for.
NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK


@functools.cache     # as long as this process runs, it is the same
def boot():
    """Return text that names this boot; raises OSError or ValueError."""
    return host_boot.boot().hex


def write(path, instruction):
    """Replace the file at `path`; raises OSError, and leaves nothing behind, where it can not be.

    The file is flushed to no disk: it says nothing after the next boot.
    """
    beside = f'{path}.{os.getpid()}'
    data = encode(instruction, boot())
    try:
        descriptor = os.open(beside, NEW, 0o644)
        with open(descriptor, 'wb') as new:
            new.write(data)
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def read(path, now):
    """Return (Instruction, None), or (None, why there is none that holds at the instant `now`)."""
    try:
        with open_regular(path, 'rb') as there:
            data = there.read(MOST)
        instruction, fault = decode(data, boot())
    except (OSError, ValueError) as err:
        return None, f'{path}: {getattr(err, "strerror", None) or err}'
    if fault is not None:
        return None, f'{path} {fault}'
    if instruction.expires_at <= now:
        return None, f'{path} has expired {now - instruction.expires_at:.1f} s ago'
    return instruction, None


class InstructionFile:
    """A file, looked at now and then."""

    def __init__(self, path, clock):
        self._path, self._clock = path, clock
        self._look_at, self._watch = 0.0, FileWatch(path)
        self._instruction, self.fault = None, None

    def current(self):
        """Return the Instruction that holds now, or None; `fault` then says why."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + LOOK
            self._look(now)
        found = self._instruction
        if found is not None and found.expires_at <= now:
            self.fault = f'{self._path} has expired'
            return None
        return found

    def _look(self, now):
        if self._watch.has_changed():
            self._instruction, self.fault = read(self._path, now)
