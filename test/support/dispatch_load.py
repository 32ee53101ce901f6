"""Clients that send requests to one proxy, again and again, while other proxies fail."""
import threading
from contextlib import contextmanager

from support.cluster import eventually
from support.dispatch_lab import DELEGATES
from support.running import running
from swift_lb.clock import sleep

CLIENTS = 4
PAUSE = 0.03        # seconds between two requests of a client: the processors are not for it alone
BODY = b'0123456789' * 2000


class Asking:
    """CLIENTS threads that send GET, HEAD and PUT in turn; `failures` has (method, what failed)."""

    def __init__(self, proxies, base):
        """`proxies` is a Proxies; `base` is the path of a container with an object `object`."""
        self.failures, self.done = [], 0
        self._proxies, self._base = proxies, base
        self._over, self._lock = threading.Event(), threading.Lock()

    @contextmanager
    def running(self):
        threads = [threading.Thread(target=self._run, args=(number,)) for number in range(CLIENTS)]
        with running(threads, self._over):
            yield self

    def more(self, count, seconds=60.0):
        """Wait until `count` more requests have been answered; fail after `seconds`."""
        until = self.done + count
        assert eventually(lambda: self.done >= until, seconds), (self.done, until, self.failures)

    def _run(self, number):
        turn = number
        while not self._over.is_set():
            turn += 1
            method = ('GET', 'HEAD', 'PUT')[turn % 3]
            fault = self._fault(method, f'{self._base}/put{number}' if method == 'PUT'
                                else f'{self._base}/object')
            with self._lock:
                self.done += 1
                if fault:
                    self.failures.append((method, fault))
            sleep(PAUSE)

    def _fault(self, method, path):
        """Send one request; return None, or its fault: an error, a status, or 'another body'."""
        try:
            answer = self._proxies.ask(method, path, BODY if method == 'PUT' else None,
                                       proxy=DELEGATES)
        except Exception as err:
            return repr(err)
        if answer.status // 100 != 2:
            return answer.status
        return 'another body' if method == 'GET' and answer.body != BODY else None
