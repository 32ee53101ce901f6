"""What the proxies of this host have to do, read from the book that their workers share."""
import os
import pwd

from swift_lb.book_path import path_of
from swift_lb.errors import SharedMemoryError
from swift_lb.load import request_table, table
from swift_lb.shared_memory import read_only

LOOK = 1.0      # seconds between two looks whether the file is another


def book_of(proxy_conf, facts):
    """Return the path of the book of the proxy with the conf file `proxy_conf`, None for none.

    `facts` are what options.proxy_facts() knows of that file.
    """
    try:
        uid = pwd.getpwnam(facts['user']).pw_uid if facts['user'] else os.geteuid()
    except KeyError:
        uid = os.geteuid()
    return path_of(facts['book'] or 'host', proxy_conf, uid)


class ProxyBook:
    """The Totals in a book's file, which may come, be replaced, and go."""

    def __init__(self, path, clock):
        self.fault = None
        self._path, self._clock = path, clock
        self._buffer, self._file, self._look_at = None, None, 0.0

    def __call__(self):
        """Return the Totals, None where there is no book; `fault` then says why."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + LOOK
            self._look()
        if self._buffer is None:
            return None
        try:
            return request_table.totals(self._buffer)
        except (ValueError, IndexError) as err:
            self._buffer, self.fault = None, f'{self._path}: {err}'
            return None

    def _look(self):
        try:
            status = os.stat(self._path)
            if self._buffer is not None and self._file == (status.st_dev, status.st_ino):
                return
            self._buffer = None
            self._buffer, _alive = read_only(
                self._path, lambda head, size: table.fault(head, size, None), table.SLOTS)
            self._file, self.fault = (status.st_dev, status.st_ino), None
        except (OSError, SharedMemoryError) as err:
            self._buffer, self.fault = None, str(err)
