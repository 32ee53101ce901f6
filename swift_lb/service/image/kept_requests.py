"""The requests of which a store keeps results, and what of them the other hosts must be told.

A request has several results: the cut, and the pixels that were decoded from it. It is gone when
the last of them is.
"""
from collections import Counter
from itertools import islice


class KeptRequests:
    """Follows a Store: the requests of its results, and the news of these."""

    def __init__(self):
        self._request_of = {}       # key of a result -> request
        self._results = Counter()   # request -> number of its results
        self._news = {}             # request -> None: a set, in order
        self._turn = []             # requests that are told again

    def kept(self, key, request):
        """Note that the result under a key is kept, which a request has asked for."""
        self.gone(key)
        self._request_of[key] = request
        self._results[request] += 1
        if self._results[request] == 1:
            self._news[request] = None

    def gone(self, key):
        """Note that the result under a key is no longer kept, if it was."""
        request = self._request_of.pop(key, None)
        if request is None:
            return
        self._results[request] -= 1
        if not self._results[request]:
            del self._results[request]
            self._news[request] = None

    @property
    def has_news(self):
        """Whether there is something that the others have not been told."""
        return bool(self._news)

    def __contains__(self, request):
        """Return whether any result of a request is kept."""
        return request in self._results

    def news(self, most):
        """Return (kept, gone): at most `most` requests of the news, which are no news then.

        If there are fewer, requests of older news are told again, in turn: a datagram may have been
        lost, and a host may be new.
        """
        told = list(islice(self._news, most))
        for request in told:
            del self._news[request]
        again = self._again(most - len(told))
        return (tuple(request for request in dict.fromkeys((*told, *again)) if request in self),
                tuple(request for request in told if request not in self))

    def _again(self, most):
        """Return `most` requests of older news, in turn."""
        if not self._turn:
            self._turn = list(self._results)
        left = max(0, len(self._turn) - most)
        again = self._turn[left:]
        del self._turn[left:]
        return again
