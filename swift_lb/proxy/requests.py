"""Count a proxy's requests in flight in the table that all processes of its host can read.

A request counts from the call of the app until the answer's body has been sent or closed, also
while a slow client receives it, which occupies a connection and a greenthread of this worker.
Requests that the app makes itself, such as for a container's properties, count like any other.
Fails open: if counting fails, the request goes on.
"""
from swift_lb.proxy.guard import fails_open

TIMED = ('GET', 'HEAD')


class CountedRequest:
    """One request, counted as in flight from its construction until end() is called."""

    __slots__ = ('_clock', '_counts', '_since', 'fall_back')

    def __init__(self, counts, clock, fall_back):
        """Take the RequestCounts, clock() in seconds, and fall_back(component) for failures."""
        self.fall_back, self._counts, self._clock = fall_back, None, clock
        self._since = clock()
        counts.begin()
        self._counts = counts

    @fails_open('requests')
    def head(self):
        """Record the time until the head of the answer; calls after the first have no effect."""
        since, self._since = self._since, None
        if since is not None and self._counts is not None:
            self._counts.head(self._clock() - since)

    @fails_open('requests')
    def end(self):
        """End the request, which is no longer in flight; further calls have no effect."""
        counts, self._counts = self._counts, None
        if counts is not None:
            counts.end()


class CountedBody:
    """Wrap the body of an answer; its request counts as in flight until the body ends or closes.

    It also ends when the last reference is dropped, so that an unclosed body does not leak a count.
    """

    __slots__ = ('_body', '_end', '_pieces')

    def __init__(self, body, end):
        """`end()` ends the request; it is called once, when the body ends or is closed."""
        self._body = self._pieces = body
        self._end = end

    def __getattr__(self, name):
        return getattr(self._body, name)

    def __iter__(self):
        self._pieces = iter(self._body)
        return self

    def __next__(self):
        try:
            return next(self._pieces)
        except BaseException:       # StopIteration, or a fault
            self._finish()
            raise

    def close(self):
        """Close the body, and end the request."""
        self._finish()
        if hasattr(self._body, 'close'):
            self._body.close()

    def _finish(self):
        end, self._end = self._end, None
        if end is not None:
            end()

    __del__ = _finish


def answer(app, env, start_response, request):
    """Call a WSGI app, and return the body of its answer.

    The CountedRequest `request` ends with this body; at once if `app` raises or the body has a len.
    """
    try:
        if env.get('REQUEST_METHOD') in TIMED:
            start_response = timed(start_response, request)
        body = app(env, start_response)
    except BaseException:
        request.end()
        raise
    if hasattr(body, '__len__'):    # the whole body; eventlet's server reads its length
        request.end()
        return body
    return CountedBody(body, request.end)


def timed(start_response, request):
    """Return a start_response that also calls head() of `request`, a CountedRequest."""
    def start(*args, **kwargs):
        write = start_response(*args, **kwargs)
        request.head()
        return write
    return start
