"""A file in the memory of several processes, each of which holds a slot in it until it ends.

A Layout describes the contents of the file; this module shares it between processes.

    open       A process opens only a plain file of its own user, which no other user may read or
               write. A new file is made without a name (O_TMPFILE) and then linked: no process
               finds half a file, and a process that is killed meanwhile leaves none.
    slot       A slot is an open-file-description lock on a byte far behind the end of the file. The
               kernel drops it with the last descriptor, however the process ends. A classic POSIX
               lock would be lost when its process closes any descriptor of the file.
    wipe       A process that gets the lock of a used slot knows that the slot's process is dead,
               and wipes the slot's data.
    replace    A file with a fault is unlinked and made again if no process holds a slot in it. A
               process that has the old file in memory keeps it.

No file is ever truncated, since a process that touches a page behind the end of a file is killed
(SIGBUS). Other users cannot truncate it, as its mode is 0600; root and this user could. A page for
which there is no memory is not touched either: reserve() asks first.

Open it after fork(): a child has its parent's descriptors, and with them its parent's slot.
"""
import contextlib
import errno
import fcntl
import mmap
import os
import stat
import struct
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.errors import SharedMemoryError

FLOCK = struct.Struct('hhqqi4x')    # l_type, l_whence, l_start, l_len, l_pid: 0 for these locks
LOCKS = 1 << 48         # the byte that is locked during an insertion; behind it one for each slot
MAX_SLOTS = 1 << 16
TRIES = 100             # while another process replaces the file, which takes a few system calls
HEAD = 4096             # bytes of a file that the functions of a Layout receive


class Layout(NamedTuple):
    """The layout of one kind of shared file, and the functions that check its first bytes."""

    head: bytes             # first bytes of a new file, allocated at once; zeros follow
    size: int               # bytes of a new file
    slots: int              # in any file
    fault: Callable         # (its first HEAD bytes, its size) -> a fault as a predicate, or None
    ours: Callable          # (its first HEAD bytes) -> whether swift-lb may replace it


class SharedMemory:
    """A file that this process has mapped in its memory, and its slot in the file."""

    def __init__(self, path, descriptor):
        """Map the file open as `descriptor` into memory; only attach() calls this."""
        status = os.fstat(descriptor)
        self.buffer = mmap.mmap(descriptor, status.st_size)
        self.path, self._descriptor, self.slot = path, descriptor, None
        self.name = f'{status.st_dev:x}-{status.st_ino:x}'      # of this file only

    def __del__(self):
        with contextlib.suppress(OSError, AttributeError):
            os.close(self._descriptor)

    def is_current(self):
        """Return whether the path leads to this file, so it was neither removed nor replaced."""
        return same_file(self.path, self._descriptor)

    def claim(self, slots):
        """Take the lowest free slot of the first `slots` slots; return False if all are held."""
        for slot in range(slots):
            if lock(self._descriptor, LOCKS + 1 + slot):
                self.slot = slot
                return True
        return False

    def reclaim(self, slots, wipe):
        """Lock each of `slots` that no process holds, call wipe(slot), and unlock it again."""
        for slot in slots:
            if slot != self.slot and lock(self._descriptor, LOCKS + 1 + slot):
                try:
                    wipe(slot)
                finally:
                    unlock(self._descriptor, LOCKS + 1 + slot)

    @contextlib.contextmanager
    def alone(self):
        """Context manager: yield True if only this process may insert records into the file now.

        It does not wait: it yields False if another process has this right.
        """
        mine = lock(self._descriptor, LOCKS)
        try:
            yield mine
        finally:
            if mine:
                unlock(self._descriptor, LOCKS)

    def reserve(self, at, length):
        """Allocate memory for `length` bytes at the offset `at`; return False if there is none."""
        try:
            os.posix_fallocate(self._descriptor, at, length)
        except OSError:
            return False
        return True


def attach(path, layout):
    """Return the SharedMemory of the file at `path`, with a free slot claimed for this process.

    Makes the file if there is none. Raises SharedMemoryError, with one sentence, if the file cannot
    be made or used, or all its slots are held.
    """
    try:
        for _try in range(TRIES):
            memory = _attach(path, layout)
            if memory is not None:
                return memory
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{path}: {getattr(err, "strerror", None) or err}') from err
    raise SharedMemoryError(f'{path}: other processes make and remove it all the time')


def read_only(path, fault, slots):
    """Return (the bytes of the file at `path`, a list of the slots held), without taking a slot.

    `fault` checks the file, which has `slots` slots, as in Layout. Raises SharedMemoryError if the
    file has a fault, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            reason = fault(os.pread(descriptor, HEAD, 0), os.fstat(descriptor).st_size)
            if reason is not None:
                raise SharedMemoryError(f'{path} {reason}')
            return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ), held_slots(descriptor, 0, slots)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{path}: {getattr(err, "strerror", None) or err}') from err


def held_slots(descriptor, begin, end):
    """Return the slots from `begin` to `end` - 1 that other processes hold, by binary search."""
    if not locked(descriptor, LOCKS + 1 + begin, end - begin):
        return []
    if end - begin == 1:
        return [begin]
    middle = (begin + end) // 2
    return [*held_slots(descriptor, begin, middle), *held_slots(descriptor, middle, end)]


def _attach(path, layout):
    """Try once what attach() does; None if another process interfered: try again."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        create(path, layout)
        return None
    try:
        _check_owner(path, descriptor)
        if _fault(path, descriptor, layout):
            return None
        memory = SharedMemory(path, descriptor)
        descriptor = None
    finally:
        if descriptor is not None:
            os.close(descriptor)
    if memory.claim(layout.slots) and memory.is_current():
        return memory
    if memory.is_current() and not locked(memory._descriptor, LOCKS):
        raise SharedMemoryError(f'{path}: all {layout.slots} slots are in use')
    return None     # another process replaces it


def _check_owner(path, descriptor):
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise SharedMemoryError(f'{path} is not a plain file')
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise SharedMemoryError(f'{path} is accessible to other users')


def _fault(path, descriptor, layout):
    """Return whether layout.fault() finds a fault; this process then unlinks the file at `path`.

    Another process may be doing so already. Raises SharedMemoryError if the faulty file is in use,
    or was not made by swift-lb.
    """
    head = os.pread(descriptor, HEAD, 0)
    reason = layout.fault(head, os.fstat(descriptor).st_size)
    if reason is None:
        return False
    if not layout.ours(head):
        raise SharedMemoryError(f'{path} {reason}; remove it if it is not needed')
    if lock(descriptor, LOCKS):         # else another process is replacing it
        if not lock(descriptor, LOCKS + 1, MAX_SLOTS):
            raise SharedMemoryError(f'{path} {reason}, and other processes are using it')
        if same_file(path, descriptor):
            os.unlink(path)
    return True


def create(path, layout):
    """Make a new file at `path` as `layout` says; does nothing if another process was faster."""
    directory = os.path.dirname(path)
    descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, len(layout.head))
        os.pwrite(descriptor, layout.head, 0)
        os.ftruncate(descriptor, layout.size)   # longer: no process has it in memory yet
        with contextlib.suppress(FileExistsError):
            # With src_dir_fd, which has no effect here, Python lets the kernel follow the link.
            os.link(f'/proc/self/fd/{descriptor}', path, src_dir_fd=descriptor)
    finally:
        os.close(descriptor)


def same_file(path, descriptor):
    """Return whether `path` leads to the file open as `descriptor`."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(status, os.fstat(descriptor))


def lock(descriptor, start, length=1):
    """Lock `length` bytes from `start` of a file; return False if another process has any."""
    try:
        _flock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, start, length)
    except OSError as err:
        if err.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def unlock(descriptor, start, length=1):
    """Unlock `length` bytes from the offset `start` of the open file."""
    _flock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, start, length)


def locked(descriptor, start, length=1):
    """Return whether another process has locked any of `length` bytes from `start` of a file."""
    answer = _flock(descriptor, fcntl.F_OFD_GETLK, fcntl.F_RDLCK, start, length)
    return FLOCK.unpack(answer)[0] != fcntl.F_UNLCK


def _flock(descriptor, command, kind, start, length):
    return fcntl.fcntl(descriptor, command, FLOCK.pack(kind, os.SEEK_SET, start, length, 0))
