"""Files that other processes write: opened without blocking on a FIFO, and watched for changes.

open() of a FIFO without a writer does not return, and a green thread that waits there stops all
green threads of its process.
"""
import errno
import os
import stat


def open_regular(path, mode='r', **options):
    """Open a regular file for reading, as open() does; raises OSError for any other kind."""
    return open(path, mode, opener=_opened, **options)


def _opened(path, flags):
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):    # open() itself refuses a directory
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, 'not a regular file', path)


class FileWatch:
    """Watches whether the file at a path is replaced, written to, or removed."""

    def __init__(self, path):
        self._path = path
        self.version = ()       # at the last call of has_changed; None: there was no file

    def has_changed(self):
        """Return whether the file has changed since the last call; the first call returns True."""
        before = self.version
        try:
            status = os.stat(self._path)
            self.version = status.st_ino, status.st_mtime_ns, status.st_size
        except OSError:
            self.version = None
        return self.version != before
