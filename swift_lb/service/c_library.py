"""The C library, for system calls that Python's standard library does not have."""
import ctypes
import os

LIBRARY = ctypes.CDLL(None, use_errno=True)


def fault():
    """Return the OSError of the last call that failed: the thread's errno, and what it means."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
