"""What the proxies of this host have to do, read from the book that their workers share."""
import os
import pwd

from swift_lb.book_path import of_dispatchers, path_of
from swift_lb.errors import SharedMemoryError
from swift_lb.load import request_table, table
from swift_lb.shared_memory import read_only

USER = 'swift'  # as whom Swift's servers run where their conf does not say it
LOOK = 1.0      # seconds between two looks whether the file is another


def book_of(proxy_conf, facts):
    """Return the path of the book of the proxy with the conf file `proxy_conf`, None for none.

    `facts` are what options.proxy_facts() knows of that file.
    """
    return path_of(facts['book'] or 'host', proxy_conf, uid_of(facts))


def dispatch_book_of(proxy_conf, facts):
    """Return likewise the path of what the dispatchers of that proxy know of peers."""
    return of_dispatchers(path_of(facts['dispatch_book'] or 'host', proxy_conf, uid_of(facts)))


def uid_of(facts):
    """Return as whom the proxy runs."""
    try:
        return pwd.getpwnam(facts['user'] or USER).pw_uid
    except KeyError:
        return os.geteuid()


class ProxyBook:
    """The Totals in a book's file, which may come, be replaced, and go."""

    def __init__(self, path, clock, read=request_table.totals):
        """`read(buffer, slots taken)` returns what is wanted of the table, instead of Totals."""
        self.fault = None
        self._path, self._clock, self._read = path, clock, read
        self._buffer, self._alive, self._look_at = None, (), 0.0

    def __call__(self):
        """Return what is read, None where there is no book; `fault` then says why."""
        now = self._clock()
        if now >= self._look_at:
            self._look_at = now + LOOK
            self._look()
        if self._buffer is None:
            return None
        try:
            return self._read(self._buffer, self._alive)
        except (ValueError, IndexError) as err:
            self._buffer, self.fault = None, f'{self._path}: {err}'
            return None

    def _look(self):
        """Open the file anew: it may be another, and workers that have died have nothing to do."""
        if self._path is None:
            self.fault = 'the workers of the proxy keep books of their own (lb_book = worker)'
            return
        try:
            self._buffer, self._alive = read_only(self._path, table.fault, table.SLOTS)
            self.fault = None
        except SharedMemoryError as err:
            self._buffer, self.fault = None, str(err)
