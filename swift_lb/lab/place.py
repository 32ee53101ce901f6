"""The directories of labs: readable by one user only, and in memory if the machine allows it.

Lab <name> is in /dev/shm/swift-lb-<uid>/<name>/, with etc/ bin/ data/ log/ run/state.json
"""
import contextlib
import fcntl
import os
import pathlib
import shutil
import stat
import tempfile

from swift_lb.errors import LabError

MEMORY = '/dev/shm'
STATE = 'run/state.json'
ROOMS = ('etc', 'bin', 'data', 'log', 'run')


def root():
    """Return the directory that holds all labs of this user; make it, with mode 0700, if needed.

    Raises LabError if another user owns it: all users can write to the parent directory.
    """
    path = pathlib.Path(_parent(), f'swift-lb-{os.getuid()}')
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise LabError(f'{path} is not a directory of this user (uid {os.getuid()}); '
                       'remove it, or have its owner do so')
    path.chmod(0o700)
    return path


def _parent():
    return MEMORY if in_memory() else tempfile.gettempdir()


def in_memory():
    """Return whether labs are kept in /dev/shm: whether it exists and this user can write to it.

    Its extended attributes hold 64 KiB of Swift's metadata for each file, those of ext4 only 4 KiB.
    """
    return os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK | os.X_OK)


def runs_programs(path):
    """Return whether the file system of `path` can run programs; Docker's /dev/shm cannot."""
    return not os.statvfs(path).f_flag & os.ST_NOEXEC


@contextlib.contextmanager
def locked():
    """A context that holds this user's file lock, in which a lab claims its name and network."""
    with open(root() / '.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_directories(name):
    """Make the directories of lab `name` and return its Path; FileExistsError if the lab exists.

    A directory without a state file is replaced: it holds only kept logs, or the remains of a
    `lab up` that was killed before it wrote the state. The caller must hold locked().
    """
    directory = root() / name
    if directory.exists() and not (directory / STATE).exists():
        shutil.rmtree(directory)
    directory.mkdir(mode=0o700)
    for room in ROOMS:
        (directory / room).mkdir()
    return directory


def names():
    """Return the names of all labs of this user that have a state file, sorted."""
    return sorted(path.parent.parent.name for path in root().glob(f'*/{STATE}'))
