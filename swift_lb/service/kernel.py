"""Calls of the Linux kernel that Python's standard library does not have."""
import contextlib
import ctypes
import os
import signal
import socket
import struct

LIBRARY = ctypes.CDLL(None, use_errno=True)
CAPABILITY_VERSION = 0x20080522     # _LINUX_CAPABILITY_VERSION_3: two words of 32 bits a set
CAPABILITY_SETS = 3                 # effective, permitted, inheritable
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38     # prctl(2)
SO_RCVBUFFORCE = getattr(socket, 'SO_RCVBUFFORCE', 33)     # Linux; Python has no name for it


def fault():
    """Return the OSError for this thread's errno, after a call of the C library has failed."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def drop_capabilities():
    """Drop all Linux capabilities, capabilities(7), for good; raises OSError.

    Ambient capabilities go with the permitted ones. Only the calling thread loses them, and the
    processes and threads that it starts later.
    """
    this_thread = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    if LIBRARY.capset(this_thread, (ctypes.c_uint32 * (2 * CAPABILITY_SETS))()):
        raise fault()


def enlarge_receive_buffer(sock, size):
    """Set a socket's receive buffer to `size` bytes; only root can exceed the system's limit."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, struct.pack('i', size))


def end_with_parent(parent):
    """Have this process killed when its parent ends; exit if `parent`, its pid, has ended."""
    LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def forbid_new_privileges():
    """Let no program that this process executes have more privileges than this process."""
    LIBRARY.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
