"""Closed-loop readers: each worker sends its next read when the last one has been answered."""
import random
import threading
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from swift_lb.clock import monotonic

TIMEOUT = 30.0  # seconds a worker waits for an answer


class Sample(NamedTuple):
    """One read: when it began and how long it took, seconds; whether all of it came."""

    began_at: float
    response_time: float
    success: bool


class Readers:
    """Workers that read `objects` below `url`, chosen at random, from several proxies in turn."""

    def __init__(self, urls, objects, workers, seed, token=None):
        """Take storage URLs, object paths (container/object) and the number of workers.

        The same `seed` makes each worker ask for the same objects in the same order.
        """
        self._urls, self._objects = [urlsplit(url) for url in urls], objects
        self._workers, self._seed = workers, seed
        self._headers = {'X-Auth-Token': token} if token else {}

    def run(self, seconds, stopped=None):
        """Read for `seconds`, or until the threading.Event `stopped`; return the Samples.

        A read that began in time is waited for, so that slow ones are counted too.
        """
        stopped = stopped or threading.Event()
        until, found = monotonic() + seconds, [[] for _ in range(self._workers)]
        threads = [threading.Thread(target=self._work, args=(number, until, stopped, samples),
                                    daemon=True) for number, samples in enumerate(found)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            stopped.set()
        return [sample for samples in found for sample in samples]

    def _work(self, number, until, stopped, samples):
        rng = random.Random(f'{self._seed} {number}')
        url = self._urls[number % len(self._urls)]
        connection = HTTPConnection(url.hostname, url.port, timeout=TIMEOUT)
        while monotonic() < until and not stopped.is_set():
            path = quote(f'{url.path}/{rng.choice(self._objects)}')
            began = monotonic()
            samples.append(Sample(began, *self._read(connection, path, began)))
        connection.close()

    def _read(self, connection, path, began):
        try:
            connection.request('GET', path, headers=self._headers)
            response = connection.getresponse()
            response.read()
        except (OSError, HTTPException):
            connection.close()  # the next request opens it again
            return monotonic() - began, False
        return monotonic() - began, response.status == 200
