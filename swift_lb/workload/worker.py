"""A worker: one client that logs in and carries out operations until it reaches its limits."""
import asyncio
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from swift_lb.clock import monotonic
from swift_lb.workload.auth import login
from swift_lb.workload.client import tls_context
from swift_lb.workload.failure import OperationError
from swift_lb.workload.operators import operator, special
from swift_lb.workload.storage import NONE, UNAUTHORIZED, MockStorage, SwiftStorage

BARREN, AT_LEAST = 60.0, 10   # seconds and operations without a byte that end totalBytes


class Worker:
    """One of the workers of a work: it sends requests, one after another, until its limits.

    Its number is `index`, from 1, of `all` workers; it has a Session of its own, or shares one.
    """

    def __init__(self, share, index, slot, rng, sessions):
        """Take the driver's Share of the work, the worker's `index` from 1 and a random.Random.

        `slot` is its number among the workers of this driver, from 0; `sessions` is a dict in which
        workers share a login if the <auth> has caching=true.
        """
        self.index, self.all, self.rng = index, share.work.workers, rng
        self.storage = None   # replaced after each login
        self._share, self._work, self._slot = share, share.work, slot
        self._sessions, self._session, self._expired = sessions, None, False

    async def login(self):
        """Log in, and use the storage URL and token from then on; raises OperationError."""
        auth = self._auth()
        if not auth.settings.get('caching'):
            self._use(await login(auth, self.rng))
            return
        key = auth.type, auth.config
        if self._sessions.get(key) is self._session:   # None, or an expired session
            self._sessions[key] = asyncio.ensure_future(login(auth, self.rng))
        self._session = self._sessions[key]
        self._use(await asyncio.shield(self._session))

    def _auth(self):
        auth, endpoints = self._work.auth, self._share.endpoints
        if auth.type != 'swauth' or not endpoints:
            return auth
        url = auth_url(auth.settings['auth_url'], endpoints, self.index - 1)
        return replace(auth, settings={**auth.settings, 'auth_url': url})

    def _use(self, session):
        self.close()
        self.storage, self._expired = self._storage_for(session), False

    def _storage_for(self, session):
        kind, settings = self._work.storage.type, self._work.storage.settings
        if kind == 'mock':
            return MockStorage(settings, self.rng)
        if kind == 'none':
            return MockStorage(NONE, self.rng)
        url = storage_url(session.storage_url, settings['storage_url'], self._share.endpoints,
                          self.index - 1)
        tls = (tls_context(settings['cacert'], settings['insecure'])
               if url.startswith('https:') else None)
        return SwiftStorage(url, session.token or settings['token'], settings, tls)

    def close(self):
        """Close the connections to the storage."""
        if self.storage is not None:
            self.storage.close()

    async def special(self, tally, counters):
        """Do this worker's part of an init, prepare, cleanup or dispose; count it in a WorkTally.

        `counters` is made by operators.counters_of().
        """
        for number, operation in enumerate(self._work.operations):
            for counted, next_request in special(operation, self, counters):
                await self._one(tally, number, next_request, counted=counted)
                if self._expired:
                    await self._login_again(tally, number)

    async def normal(self, tally, pace, counters, limits):
        """Carry out operations until one of the Limits is reached; count them in a WorkTally.

        `pace` yields the instant at which the next operation is due, or None for at once. An
        operation that was due before the end, but found no free worker, counts as unfinished.
        `counters` is made by operators.counters_of().
        If bytes are the only limit and none are transferred for BARREN seconds, the worker stops.
        """
        ops = size = barren = 0
        fed = limits.begin   # the instant of the last bytes
        pick = self._picker(counters)
        for due in pace:
            if due is not None and limits.until > due > (now := monotonic()):
                await asyncio.sleep(due - now)
                due = None  # the worker was free: the timer's delay is not response time
            if (now := monotonic()) >= limits.until or (due is not None and due >= limits.until):
                if due is not None:
                    tally.unfinished(pick()[0], due)
                return
            number, next_request = pick()
            done, ended = await self._one(tally, number, next_request, due)
            if now >= limits.begin and ended <= limits.end:
                ops, size = ops + 1, size + done
                if ops >= limits.ops or size >= limits.bytes:
                    return
            if done:
                barren, fed = 0, ended
            elif limits.only_bytes:
                barren += 1
                if barren >= AT_LEAST and ended - fed >= BARREN:
                    return
            if self._expired:
                await self._login_again(tally, number)

    async def _one(self, tally, number, next_request, began=None, counted=True):
        """Do operation number `number`; return (bytes, instant of its end).

        `next_request()` prepares it; its time counts from `began` or, if None, from its start. A
        failure always enters `tally`, a success only if `counted`.
        """
        try:
            request = next_request()
            if began is None:
                began = monotonic()
            size, transfer_time = await request
        except OperationError as err:
            ended, reason = monotonic(), str(err)
            self._expired = reason == UNAUTHORIZED
            tally.failure(number, self._slot, began or ended, ended, reason,
                          self.storage.take_resent())
            await asyncio.sleep(0)   # a missing file fails at once; let other workers run
            return 0, ended
        except asyncio.CancelledError:
            tally.unfinished(number, began)
            raise
        ended, resent = monotonic(), self.storage.take_resent()
        if counted:
            tally.success(number, self._slot, began, ended, transfer_time, size, resent)
        return size, ended

    async def _login_again(self, tally, number):
        """Log in after a 401; a login that fails counts as one more failure of the operation."""
        began = monotonic()
        try:
            await self.login()
        except OperationError as err:
            tally.failure(number, self._slot, began, monotonic(), str(err))

    def _picker(self, counters):
        """Return a function that draws an operation by its ratio: (its number, its function).

        The function of an operation, which operator() returns, prepares the next request.
        """
        makers = [(number, operator(operation, self, counters))
                  for number, operation in enumerate(self._work.operations)]
        if len(makers) == 1:
            return lambda: makers[0]
        hundred = [maker for maker, operation in zip(makers, self._work.operations, strict=True)
                   for _ in range(operation.ratio)]
        chance = self.rng.random
        return lambda: hundred[int(chance() * 100)]


def missed(work, tally, many, due):
    """Count in `tally` as unfinished `many` operations that were due, and did not start.

    The first was due at the instant `due`. They are divided among the Work's operations by ratio.
    """
    before = ratio = 0
    for number, operation in enumerate(work.operations):
        ratio += operation.ratio
        upto = many * ratio // 100
        tally.unfinished(number, due, upto - before)
        before = upto


def storage_url(session_url, storage_urls, endpoints, worker):
    """Return the storage URL of worker number `worker`, from 0; workers take the proxies in turn.

    `session_url`, that of the login, takes precedence over `storage_urls`, those of <storage>.
    `endpoints` take precedence over both: one with a path is a complete storage URL, one without a
    path replaces scheme, host and port.
    """
    urls = (session_url,) if session_url else storage_urls
    url = urls[worker % len(urls)]
    if not endpoints:
        return url
    endpoint = urlsplit(endpoints[worker % len(endpoints)])
    path = endpoint.path.rstrip('/') or urlsplit(url).path
    return urlunsplit((endpoint.scheme, endpoint.netloc, path, '', ''))


def auth_url(url, endpoints, worker):
    """Return the URL at which worker number `worker`, from 0, logs in: a proxy of `endpoints`.

    It is the <auth>'s `url` at one of these proxies, which serve TempAuth and swauth; workers take
    them in turn. An endpoint with a path names a storage URL only, and no key is sent to it.
    """
    proxies = [endpoint for endpoint in endpoints if not urlsplit(endpoint).path.strip('/')]
    if not proxies:
        return url
    endpoint = urlsplit(proxies[worker % len(proxies)])
    return urlunsplit((endpoint.scheme, endpoint.netloc, *urlsplit(url)[2:]))
