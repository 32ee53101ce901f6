"""A read that is served here, and fetched from another cluster as well if its head is late here.

Three greenthreads:

    run         that of the client's request: waits, and returns the first head
    here        serves the request. If it has lost, it goes on until its head comes, and closes the
                answer then: Swift closes its connections, and no node is blamed. To kill it would
                be quicker, but Swift's pool of connections to memcached, and other filters, would
                lose what they have in use, for ever
    there       fetches it. If it has lost it is killed, and its connection closed

An answer of this cluster with a status from 500 on is held back until `there` has ended.
"""
from contextvars import copy_context

from swift_lb.concurrency import Semaphore, spawn, spawn_n
from swift_lb.proxy.guard import fails_open

FAILED = '5'        # status lines from here on


class ClusterRace:
    """One read of which the client gets the answer whose head comes first."""

    def __init__(self, here, there, logger, fall_back):
        """Take `here()`, which returns the HeldAnswer of this cluster or raises what Swift raises.

        `there()` returns the Answer of the other cluster, None without one. `logger` is a logger of
        Swift's, which has a transaction id for each greenthread; `fall_back(component)` reports a
        component that has failed.
        """
        self._here, self._there, self._logger = here, there, logger
        self.fall_back = fall_back
        self._news, self._over = Semaphore(0), False
        self._held = self._error = self._answer = None
        self._fetching = None       # the greenthread of `there`, while it runs
        self._client_ip = None      # for the log, which Swift's app derives in `here`

    def run(self, late, may_ask):
        """Return (HeldAnswer, None), or (None, Answer) if the other cluster's head came first.

        The other cluster is asked after `late` seconds, if `may_ask()` returns true then. Raises
        what `here` raises if there is no answer.
        """
        if not self._start():
            return self._here(), None
        try:
            if not self._news.acquire(timeout=late) and may_ask():
                self._fetching = spawn(self._fetch, self._logger.txn_id)
            while not self._is_decided():
                self._news.acquire()
            if self._answer is not None and not self._is_served():
                answer, self._answer = self._answer, None
                return None, answer
            held, self._held = self._held, None
            error, self._error = self._error, None
        finally:
            self._over = True
            self._close_losers()
        if held is None:
            raise error
        self._logger.client_ip = self._client_ip
        return held, None

    @fails_open('clusters')
    def _start(self):
        spawn_n(copy_context().run, self._serve, self._logger.txn_id)
        return True

    def _is_served(self):
        return self._held is not None and self._held.status < FAILED

    def _is_decided(self):
        if self._answer is not None or self._is_served():
            return True
        return self._fetching is None and (self._held or self._error) is not None

    def _serve(self, transaction):
        try:
            self._logger.txn_id = transaction
            self._held = self._here()
            self._client_ip = self._logger.client_ip
        except BaseException as err:    # a Timeout is one, too
            self._error = err
        if self._over:
            self._close_losers()
        self._news.release()

    def _fetch(self, transaction):
        try:
            self._logger.txn_id = transaction
            self._answer = self._fetched()
        finally:
            self._fetching = None
            self._news.release()

    @fails_open('clusters')
    def _fetched(self):
        return self._there()

    def _close_losers(self):
        if self._fetching is not None:
            self._fetching.kill()
        losers = self._held, self._answer
        self._held = self._error = self._answer = None
        for loser in losers:
            if loser is not None:
                self._close(loser)

    @fails_open('clusters')
    def _close(self, loser):
        loser.close()
