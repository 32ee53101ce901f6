"""Follow a client's request through the proxy, to count it in the host's book. Fails open.

It counts from the call of the app until its body has been taken or closed, and so while a client
takes its time, too: that is a connection and a greenthread of this worker. What the app asks of
itself on the way, such as a container's properties, is a request as any other.
"""
from swift_lb.proxy.guard import fails_open

TIMED = ('GET', 'HEAD')


class CountedRequest:
    """One request, counted from now on: begin and end are one object.

    Whoever drops the last reference ends it, so that a body nobody closes can not leak a count.
    """

    __slots__ = ('_clock', '_counts', '_since', 'fall_back')

    def __init__(self, counts, clock, fall_back):
        """Take the RequestCounts, a clock, and what to tell, fall_back(part), when it breaks."""
        self.fall_back, self._counts, self._clock = fall_back, None, clock
        self._since = clock()
        counts.begin()
        self._counts = counts

    @fails_open('requests')
    def head(self):
        """Note that the head of the answer has been sent; more than once is harmless."""
        since, self._since = self._since, None
        if since is not None and self._counts is not None:
            self._counts.head(self._clock() - since)

    @fails_open('requests')
    def end(self):
        """Count it no more; a second end is harmless."""
        counts, self._counts = self._counts, None
        if counts is not None:
            counts.end()

    def __del__(self):
        if self._counts is not None:
            self.end()


class CountedBody:
    """Stand for the body of an answer, with all else that it has, until it ends."""

    __slots__ = ('_body', '_pieces', '_request')

    def __init__(self, body, request):
        self._body = self._pieces = body
        self._request = request

    def __getattr__(self, name):
        return getattr(self._body, name)

    def __iter__(self):
        self._pieces = iter(self._body)
        return self

    def __next__(self):
        try:
            return next(self._pieces)
        except BaseException:       # such as StopIteration: there is no more of it
            self._request.end()
            raise

    def close(self):
        """Close the body."""
        self._request.end()
        if hasattr(self._body, 'close'):
            self._body.close()


def answer(app, env, start_response, request):
    """Answer as `app` does, and tell `request`, a CountedRequest, how far it is."""
    try:
        if env.get('REQUEST_METHOD') in TIMED:
            start_response = telling(start_response, request)
        body = app(env, start_response)
    except BaseException:
        request.end()
        raise
    if hasattr(body, '__len__'):    # all of it is there; a server wants to see that
        request.end()
        return body
    return CountedBody(body, request)


def telling(start_response, request):
    """Return a start_response that tells `request`, too."""
    def tell(*args, **kwargs):
        write = start_response(*args, **kwargs)
        request.head()
        return write
    return tell
