"""Open files that other processes write, without blocking on a FIFO.

open() of a FIFO without a writer does not return, and a green thread that waits there stops all
green threads of its process.
"""
import errno
import os
import stat


def open_regular(path, mode='r', **options):
    """Open the regular file at `path` for reading, as open() does.

    Raises OSError where open() does, and for a FIFO, a socket or a device.
    """
    return open(path, mode, opener=_opened, **options)


def _opened(path, flags):
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):    # open() itself refuses a directory
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, 'not a regular file', path)
