"""A request that is served here: how long it takes, by how many there are, for the next to know."""
from swift_lb.dispatch.outlook import Load
from swift_lb.wire.peer_load import HEADER, encode

TIMED = ('GET', 'HEAD')     # what answers without a body having to come first


class Served:
    """What this worker serves: counts it, and adds it to the Curve."""

    def __init__(self, curve, clock):
        self.curve, self._clock = curve, clock
        self.own = 0                # requests of this worker in flight
        self.elsewhere = None       # what returns how many the whole host has, None: nobody knows

    def in_flight(self):
        """Return how many requests this host has."""
        counted = self.elsewhere() if self.elsewhere is not None else None
        return self.own if counted is None else counted

    def serve(self, app, env, start_response, load_told=False):
        """Answer as `app` does; `load_told` says whether a peer is to be told of the load."""
        since, before = self._clock(), self.in_flight()
        timed = env['REQUEST_METHOD'] in TIMED

        def start(status, headers, *rest):
            now = self._clock()
            if timed:
                self.curve.add(before, now - since, now)
            if load_told:
                headers = [*headers, (HEADER, encode(self.load(now, now - since), now - since))]
            return start_response(status, headers, *rest)
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

    def load(self, now, took):
        """Return the Load that a peer is told, which has waited `took` seconds for it."""
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
