"""A request that is served here: how long it takes, by how many there are, for the next to know.

What counts is until the head of the answer, without what was waited for the client to send its
body: nobody else would have had that sooner. Not of bodies of LARGE_FROM and more, or of unknown
size: they take as long as they are. Nor where the head says nothing of the work, as it comes before
it (dispatch/content.py), or because it was not done: who fails at once, or knows no token, is not
the quickest, and a client that leaves says nothing of this proxy.
"""
from swift_lb.dispatch.content import LARGE_FROM, answers_early
from swift_lb.dispatch.outlook import Load
from swift_lb.proxy.dispatch.awaited import Awaited
from swift_lb.proxy.dispatch.header import body_size
from swift_lb.proxy.guard import fails_open
from swift_lb.wire.peer_load import HEADER, encode

FAILED = '5'        # and more: a status line. 404, 412 and 416 are work that was done
SAYS_NOTHING = frozenset(('401', '408', '429', '498', '499'))
FIRST = 5           # requests of a worker pay for what is done once, and say nothing: rings are
                    # read, accounts and tokens looked up; half a second, where 10 ms are usual


class Served:
    """What this worker serves: counts it, and adds it to the Curve. Fails open."""

    def __init__(self, curve, shedder, clock, fall_back):
        """`fall_back(part)` is told what breaks."""
        self.curve, self._shedder, self._clock = curve, shedder, clock
        self.fall_back = fall_back
        self._first = FIRST
        self.own = 0                # requests of this worker in flight
        self.elsewhere = None       # what returns how many the whole host has, None: nobody knows

    def in_flight(self):
        """Return how many requests this host has."""
        counted = self.elsewhere() if self.elsewhere is not None else None
        return self.own if counted is None else counted

    def serve(self, app, env, start_response, load_told=False):
        """Answer as `app` does; `load_told` says whether a peer is to be told of the load."""
        begun = self._begin(env)

        def start(status, headers, *rest):
            said = begun and self._head(*begun, status, load_told)
            return start_response(status, [*headers, (HEADER, said)] if said else headers, *rest)
        self.own += 1
        try:
            body = app(env, start)
        except BaseException:
            self.own -= 1
            raise
        if hasattr(body, '__len__'):    # all of it is there; a server wants to see that
            self.own -= 1
            return body
        return Counted(body, self)

    @fails_open('served')
    def _begin(self, env):
        """Return (instant, how many there are before it, its body or None, whether it counts).
        """
        now, size, body = self._clock(), body_size(env), None
        self.curve.came(now)
        counts = size is not None and size < LARGE_FROM and not answers_early(
            env.get('QUERY_STRING'))
        if size and counts:
            body = env['wsgi.input'] = Awaited(env['wsgi.input'], self._clock)
        return now, self.in_flight(), body, counts

    @fails_open('served')
    def _head(self, since, before, body, counts, status, load_told):
        """Learn from the head of an answer; return what a peer is told of the load, if it is."""
        now = self._clock()
        took = now - since
        worked = took if body is None else took - body.seconds
        if self._first:
            self._first -= 1
        elif counts and status < FAILED and status[:3] not in SAYS_NOTHING:
            self.curve.add(before, worked, now)
            self._shedder.add(before, worked, now)
        return encode(self.load(now, worked), took) if load_told else None

    def load(self, now, took):
        """Return the Load that a peer is told, one of whose requests took `took` seconds."""
        there = max(0, self.in_flight() - 1)
        expected = self.curve.expected(there, now)
        if expected is None:
            return Load(there, took, 0.0)
        return Load(there, expected, self.curve.step(there, now))


class Counted:
    """Stand for the body of an answer, until it ends."""

    __slots__ = ('_body', '_pieces', '_served')

    def __init__(self, body, served):
        self._body = self._pieces = body
        self._served = served

    def __iter__(self):
        self._pieces = iter(self._body)
        return self

    def __next__(self):
        return next(self._pieces)

    def close(self):
        """Close the body, and count it no more."""
        self._end()
        if hasattr(self._body, 'close'):
            self._body.close()

    def _end(self):
        served, self._served = self._served, None
        if served is not None:
            served.own -= 1

    def __del__(self):
        self._end()
