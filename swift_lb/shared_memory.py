"""A file in the memory of several processes, each with a slot in it that ends as the process does.

What lies in the file is a Layout's to say; here is how processes come to share it.

    opened     only if it is a plain file of this user's, that nobody else may read or write. A new
               one is made without a name (O_TMPFILE) and linked: nobody finds half a file, and
               who is killed meanwhile leaves none
    a slot     an open-file-description lock on a byte far behind the end of the file. The kernel
               drops it with the last descriptor, however the process ends. Not a classic POSIX
               lock, which a process loses when it closes any descriptor of the file
    wiped      whoever gets the lock of a slot that another has used knows that the other is dead
    replaced   a file with a fault that nobody has a slot of: unlinked, and made anew. Whoever has
               it in memory keeps it

No file is ever cut short, for who touches a page behind the end of a file is killed (SIGBUS). Nor
are pages touched for which there is no room: reserve() asks first. Others can not cut it: it is
0600. Not guarded against is root, or this user, doing it on purpose.

Open it after fork(): a child has its parent's descriptors, and with them the slot.
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
LOCKS = 1 << 48         # the byte that is locked while something is inserted; then one a slot
MOST_SLOTS = 1 << 16
TRIES = 100             # while another makes or replaces it, which takes a few system calls
HEAD = 4096             # bytes that a Layout is shown of a file


class Layout(NamedTuple):
    """What a file is to have in it."""

    head: bytes             # of a new one, which is given memory for it; zeros follow
    size: int               # bytes of a new one
    slots: int              # in any
    fault: Callable         # (its first HEAD bytes, its size) -> what is wrong with it, or None
    ours: Callable          # (its first HEAD bytes) -> whether it is ours to replace


class SharedMemory:
    """A file in this process's memory, and the slot that this process has."""

    def __init__(self, path, descriptor):
        """Map what is open; attach() is what to call."""
        status = os.fstat(descriptor)
        self.buffer = mmap.mmap(descriptor, status.st_size)
        self.path, self._descriptor, self.slot = path, descriptor, None
        self.name = f'{status.st_dev:x}-{status.st_ino:x}'      # of this file and no other

    def __del__(self):
        with contextlib.suppress(OSError, AttributeError):
            os.close(self._descriptor)

    def is_current(self):
        """Return whether the path still leads to this file."""
        return same_file(self.path, self._descriptor)

    def claim(self, slots):
        """Take the lowest of so many slots that no process has; return False if there is none."""
        for slot in range(slots):
            if lock(self._descriptor, LOCKS + 1 + slot):
                self.slot = slot
                return True
        return False

    def is_alive(self, slot):
        """Return whether a process has `slot`."""
        return slot == self.slot or locked(self._descriptor, LOCKS + 1 + slot)

    def reclaim(self, slots, wipe):
        """Call wipe(slot) for each of `slots` that no process has; meanwhile none can take it."""
        for slot in slots:
            if slot != self.slot and lock(self._descriptor, LOCKS + 1 + slot):
                try:
                    wipe(slot)
                finally:
                    unlock(self._descriptor, LOCKS + 1 + slot)

    @contextlib.contextmanager
    def alone(self):
        """Yield whether this process, and no other, may insert something now; it does not wait."""
        mine = lock(self._descriptor, LOCKS)
        try:
            yield mine
        finally:
            if mine:
                unlock(self._descriptor, LOCKS)

    def reserve(self, at, length):
        """Return whether there is room for the bytes from `at` on; then they may be touched."""
        try:
            os.posix_fallocate(self._descriptor, at, length)
        except OSError:
            return False
        return True


def attach(path, layout):
    """Return the SharedMemory of the file at `path`, with a slot of its own; make it if need be.

    Raises SharedMemoryError, with one sentence, where that can not be.
    """
    try:
        for _try in range(TRIES):
            memory = _attach(path, layout)
            if memory is not None:
                return memory
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{path}: {getattr(err, "strerror", None) or err}') from err
    raise SharedMemoryError(f'{path}: others make and remove it all the time')


def read_only(path, fault, slots):
    """Return (the bytes of the file at `path`, the slots that are taken), for who may read it.

    `fault` and `slots` are as in Layout. Raises SharedMemoryError where there is no such file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            said = fault(os.pread(descriptor, HEAD, 0), os.fstat(descriptor).st_size)
            if said is not None:
                raise SharedMemoryError(f'{path} {said}')
            return mmap.mmap(descriptor, 0, prot=mmap.PROT_READ), taken(descriptor, 0, slots)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as err:
        raise SharedMemoryError(f'{path}: {getattr(err, "strerror", None) or err}') from err


def taken(descriptor, begin, end):
    """Return the slots from `begin` to `end` - 1 that others have: the few of many, by halves."""
    if not locked(descriptor, LOCKS + 1 + begin, end - begin):
        return []
    if end - begin == 1:
        return [begin]
    middle = (begin + end) // 2
    return [*taken(descriptor, begin, middle), *taken(descriptor, middle, end)]


def _attach(path, layout):
    """Return a SharedMemory, or None where another look may find one."""
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
        raise SharedMemoryError(f'{path}: all {layout.slots} slots are taken')
    return None     # another is about to replace it, or has


def _check_owner(path, descriptor):
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise SharedMemoryError(f'{path} is no plain file')
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise SharedMemoryError(f'{path} is not this user\'s alone')


def _fault(path, descriptor, layout):
    """Return whether there is a fault in the file, which is then gone if nobody uses it."""
    head = os.pread(descriptor, HEAD, 0)
    said = layout.fault(head, os.fstat(descriptor).st_size)
    if said is None:
        return False
    if not layout.ours(head):
        raise SharedMemoryError(f'{path} {said}; remove it if nobody needs it')
    if lock(descriptor, LOCKS):         # or another is at it
        if not lock(descriptor, LOCKS + 1, MOST_SLOTS):
            raise SharedMemoryError(f'{path} {said}, and others are using it')
        if same_file(path, descriptor):
            os.unlink(path)
    return True


def create(path, layout):
    """Make the file, unless another has made it meanwhile."""
    directory = os.path.dirname(path)
    descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, len(layout.head))
        os.pwrite(descriptor, layout.head, 0)
        os.ftruncate(descriptor, layout.size)   # longer: it is not in anybody's memory yet
        with contextlib.suppress(FileExistsError):
            # With src_dir_fd, which says nothing here, Python asks the kernel to follow the link.
            os.link(f'/proc/self/fd/{descriptor}', path, src_dir_fd=descriptor)
    finally:
        os.close(descriptor)


def same_file(path, descriptor):
    """Return whether `path` leads to the file that is open."""
    try:
        there = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(descriptor))


def lock(descriptor, start, length=1):
    """Lock these bytes for what is open here and return True; False if another has one of them."""
    try:
        _flock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_WRLCK, start, length)
    except OSError as err:
        if err.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def unlock(descriptor, start, length=1):
    """Unlock these bytes."""
    _flock(descriptor, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, start, length)


def locked(descriptor, start, length=1):
    """Return whether another has locked one of these bytes; the file may be open for reading."""
    found = _flock(descriptor, fcntl.F_OFD_GETLK, fcntl.F_RDLCK, start, length)
    return FLOCK.unpack(found)[0] != fcntl.F_UNLCK


def _flock(descriptor, command, kind, start, length):
    return fcntl.fcntl(descriptor, command, FLOCK.pack(kind, os.SEEK_SET, start, length, 0))
