"""How many requests may be retried at another peer: a budget for a worker. Pure.

    Each request earns SHARE of a token; at most CAP tokens are kept. In addition FLOOR tokens come
    each second, of which at most FLOOR are kept. A retry costs one token.

The same holds for reads that are sent to another cluster without a credit of it: of objects that
no cluster has, and those that a redirect brings back (proxy/dispatch/elsewhere.py).

So N requests in T seconds cause at most SHARE x N + FLOOR x (T + 1) retries, whatever fails. Where
all peers fail, retries do not add an overload to that. A limit of retries for each request would
allow it: three tries of each are three times the load when no peer can bear it.

    SHARE = 0.2     Finagle's and Linkerd's (RetryBudget: percentCanRetry), and Envoy's
                    retry_budget.budget_percent, which is of the requests in flight
    FLOOR = 10      a second: Finagle's and Linkerd's minRetriesPerSec, so that a proxy with few
                    requests may retry at all; Envoy's is 3 at a time
    CAP = 100       tokens: ten seconds of FLOOR, Finagle's and Linkerd's reserve. Their tokens
                    expire after ten seconds; CAP is what 50 requests a second earn in this time. A
                    peer that dies under a higher load has about CAP requests in transit
"""
SHARE, FLOOR, CAP = 0.2, 10.0, 100.0
PRICE = 5       # requests that earn a token, 1 / SHARE: of whole numbers no rounding adds up


class RetryBudget:
    """How many requests one worker may still retry at another peer."""

    __slots__ = ('_at', '_earned', '_free')

    def __init__(self):
        self._earned, self._free, self._at = 0, FLOOR, None     # requests, tokens, instant

    def earn(self):
        """Count a request, which earns a fifth of a token."""
        if self._earned < CAP * PRICE:
            self._earned += 1

    def spend(self, now):
        """Take a token for a retry at the instant `now`; return whether there was one."""
        since = 0.0 if self._at is None else max(0.0, now - self._at)
        self._free = min(FLOOR, self._free + FLOOR * since)
        self._at = now if self._at is None else max(now, self._at)
        if self._earned >= PRICE:
            self._earned -= PRICE
        elif self._free >= 1.0:
            self._free -= 1.0
        else:
            return False
        return True

    def put_back(self):
        """Return the token of a request that turned out not to be one that the budget limits."""
        self._free = min(FLOOR, self._free + 1.0)
