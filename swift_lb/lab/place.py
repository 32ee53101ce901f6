"""The directories of labs: private, and in memory if the machine allows it.

/dev/shm/swift-lb-<uid>/<name>/  with etc/ bin/ data/ log/ run/state.json
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
    """Return the directory of all labs of this user; create it with mode 0700 if needed.

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
    """Return whether labs live in memory, where extended attributes can hold 64 KiB."""
    return os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK | os.X_OK)


def runs_programs(path):
    """Return whether the file system of `path` can execute programs; Docker's /dev/shm can not."""
    return not os.statvfs(path).f_flag & os.ST_NOEXEC


@contextlib.contextmanager
def locked():
    """Hold the lock under which labs claim a name and a network."""
    with open(root() / '.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_directories(name):
    """Make the directories of lab `name`; return its Path; raises FileExistsError if it exists.

    A directory without a state file holds only kept logs, or the remains of an `up` that was killed
    at once; it is replaced. The caller must hold locked().
    """
    directory = root() / name
    if directory.exists() and not (directory / STATE).exists():
        shutil.rmtree(directory)
    directory.mkdir(mode=0o700)
    for room in ROOMS:
        (directory / room).mkdir()
    return directory


def names():
    """Return the names of all labs of this user, sorted."""
    return sorted(path.parent.parent.name for path in root().glob(f'*/{STATE}'))
