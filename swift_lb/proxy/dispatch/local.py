"""Serve requests in this proxy, and learn from their times when to delegate or refuse others.

The time of a request ends with the head of the answer, and leaves out the seconds for which the
proxy waited for the client's body: at no other proxy would the body have come sooner. The times go
to the Curve, which forecasts, and to the Shedder, which refuses. Left out are the times of uploads
of LARGE_FROM bytes (1 MiB) or more or of unknown size, since they depend on the size; of answers
whose head comes before the work (dispatch/content.py); of parts of images; and of answers without
any work: a proxy that fails at once, or refuses a token, is not the quickest, and a request whose
client has left does not show how quick the proxy is.

Parts of images mostly wait for a decoder (dispatch/points.py predicts them), and delay no other
request meanwhile. So they do not count as requests in flight either, nor as arrivals: a proxy that
serves nothing else is idle for the Curve. They are counted apart, by `begin_part`.
"""
from functools import partial

from swift_lb.dispatch.content import LARGE_FROM, answers_early
from swift_lb.dispatch.outlook import own_load
from swift_lb.proxy.dispatch.facts import body_size, facts_of, image_key
from swift_lb.proxy.guard import fails_open
from swift_lb.proxy.requests import CountedBody
from swift_lb.wire.peer_load import HEADER, encode

FAILED = '5'        # status lines from here on; 404, 412 and 416 are work that was done
NOT_WORK = frozenset(('401', '408', '421', '429', '498', '499'))
FIRST = 5           # requests of a worker do not count: rings are read, accounts and tokens looked
                    # up once, for half a second where 10 ms are usual


class Served:
    """Counts and times the requests that one worker serves itself; its faults fail no request."""

    def __init__(self, curve, shedder, clock, fall_back):
        """Pass the times of requests to `curve`, which forecasts, and `shedder`, which refuses.

        `clock()` returns seconds; `fall_back(component)` reports a component that has failed.
        """
        self.curve, self._shedder, self._clock = curve, shedder, clock
        self.fall_back = fall_back
        self._first = FIRST
        self.own = 0                # requests of this worker in flight, but for parts of images
        self.elsewhere = None       # returns how many the whole host has, None if unknown
        self.times = None           # the ServedTimes that learn, too, if there are other clusters
        self.begin_part = None      # counts a part of an image at an instant, until nothing refers
        #                             to what it returns

    def in_flight(self):
        """Return the number of requests in flight on this host, or if unknown, in this worker."""
        counted = self.elsewhere() if self.elsewhere is not None else None
        return self.own if counted is None else counted

    def serve(self, app, env, start_response, for_peer=False):
        """Return the body of the answer of the WSGI `app`, and count the request until it ends.

        With `for_peer`, a header is added to the answer, which has the load of this proxy.
        """
        begun, part = self._begin(env), self._part(env)
        count = 1 if part is None else 0

        def start(status, headers, *rest):
            load = begun and self._head(*begun, status, for_peer)
            return start_response(status, [*headers, (HEADER, load)] if load else headers, *rest)
        self.own += count
        try:
            body = app(env, start)
        except BaseException:
            self.own -= count
            raise
        if hasattr(body, '__len__'):    # the whole body; servers look at its length
            self.own -= count
            return body
        return CountedBody(body, partial(self._ended, count, part))

    def _ended(self, count, part):
        self.own -= count

    @fails_open('served')
    def _part(self, env):
        """Return (what counts the request of `env`,) if it is for a part of an image, else None."""
        if image_key(env) is None:
            return None
        return (self.begin_part and self.begin_part(self._clock()),)

    @fails_open('served')
    def _begin(self, env):
        """Prepare to time a request; return the first arguments of _head().

        They are: the instant, the requests in flight before it, a TimedBody or None if the body is
        not timed, and `counts`. This is None for a part of an image, false for any other request
        whose time is not to be passed on; else true, or the class of content whose time it is.
        """
        now, size, body = self._clock(), body_size(env), None
        before = self.in_flight()
        if image_key(env) is not None:
            return now, before, None, None
        self.curve.came(now)
        counts = size is not None and size < LARGE_FROM and not answers_early(
            env.get('QUERY_STRING'))
        if size and counts:
            body = env['wsgi.input'] = TimedBody(env['wsgi.input'], self._clock)
        if counts and self.times is not None:
            counts = facts_of(env).content
        if self.times is not None:
            self.times.came(before)
        return now, before, body, counts

    @fails_open('served')
    def _head(self, since, before, body, counts, status, for_peer):
        """Pass a request's time to the Curve and the Shedder when the head of its answer comes.

        `since`, `before`, `body` and `counts` are those of _begin(). Returns the text of the load
        header if the request is `for_peer`, else None; also for a part of an image before any other
        request was timed, as nothing is known then of what one takes.
        """
        now = self._clock()
        took = now - since
        worked = took if body is None else took - body.seconds
        if self._first:
            self._first -= 1
        elif counts and status < FAILED and status[:3] not in NOT_WORK:
            ratio = self.curve.add(before, worked, now)
            if self.times is not None and counts is not True:
                self.times.add(counts, ratio, now)
            self._shedder.add(before, worked, now)
        if not for_peer:
            return None
        others = max(0, self.in_flight() - (counts is not None))
        if counts is None and self.curve.expected(others, now) is None:
            return None
        return encode(own_load(self.curve, others, worked, now), took)


class TimedBody:
    """Replaces `wsgi.input`, the body of a request; `seconds` adds up how long reads of it took."""

    __slots__ = ('_body', '_clock', 'seconds')

    def __init__(self, body, clock):
        self._body, self._clock, self.seconds = body, clock, 0.0

    def read(self, *size, **named):
        """Read from the body, and add the time that it takes to `seconds`."""
        return self._timed(self._body.read, size, named)

    def readline(self, *size, **named):
        """Read a line of the body, and add the time that it takes to `seconds`."""
        return self._timed(self._body.readline, size, named)

    def _timed(self, read, size, named):
        since = self._clock()
        try:
            return read(*size, **named)
        finally:
            self.seconds += self._clock() - since

    def __iter__(self):
        return iter(self._body)

    def __getattr__(self, name):
        """Return any other attribute of the server's `wsgi.input`, such as its socket."""
        return getattr(self._body, name)
