"""The unix socket on which swift-lb-image listens, and the lock that keeps a second daemon away."""
import contextlib
import fcntl
import os
import pwd
import socket
import stat

from swift_lb.errors import ImageServiceError

MODE = 0o660        # of the socket: Swift's user and group
BACKLOG = 128


class ServicePlace:
    """A listening unix socket, at a path that one daemon has at a time.

    A file beside the socket is locked for as long as the process lives; so the socket of a daemon
    that was killed is known to be stale, and is replaced.
    """

    def __init__(self, path, user):
        """Listen at `path`; `user` owns the files if this process is root.

        Raises ImageServiceError with a sentence.
        """
        self.path = path
        if os.path.lexists(path) and not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise ImageServiceError(f'socket = {path}: there is a file that is no socket')
        try:
            self._lock = os.open(f'{path}.lock', os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.socket = self._listening(path, user)
        except BlockingIOError:
            raise ImageServiceError(f'socket = {path}: another daemon serves there') from None
        except OSError as err:
            raise ImageServiceError(f'socket = {path}: {err.strerror or err}') from None

    def _listening(self, path, user):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o777 & ~MODE)
        try:
            listener.bind(path)
        finally:
            os.umask(before)
        if os.geteuid() == 0:
            owner = owner_of(user)
            for one in (path, f'{path}.lock'):
                os.chown(one, *owner)
        listener.listen(BACKLOG)
        return listener

    def leave(self):
        """Remove the socket's file."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)


def owner_of(user):
    """Return (uid, gid) of a user; raises ImageServiceError if there is none of this name."""
    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise ImageServiceError(f'user = {user}: there is no such user') from None
    return found.pw_uid, found.pw_gid
