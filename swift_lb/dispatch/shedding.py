"""Overload that no peer can take over: a share of new requests is refused with 503. Pure.

    wanted(t) = MAX_SHARE x min((t / alone - 4) / 8, (t - 1) / 2)       from 0 to 2 x MAX_SHARE
    level    += at most RISE x dt, towards wanted(min(here, elsewhere)), 0 where what takes long has
                turned out to be no queue (dispatch/trial.py)
    share     = min(MAX_SHARE, level, wanted(here))         of new requests that is refused
                max(0, min(level, wanted(here)) - MAX_SHARE)        of LIGHT ones

    here, alone     seconds that a request takes this proxy with all that it has in flight, and
                    with nothing, as measured (dispatch/curve.py)
    elsewhere       the least that is expected of a peer (dispatch/outlook.py); peers that are
                    rejected or critical in the Instruction do not count: nothing is delegated there

So no request is refused that a peer could serve, nor unless this proxy itself has a queue. Critical
means here: there is a queue, and clients feel it.

    4, 12 x alone   a request waits three times as long as it is served (`critical` is as much in
                    plan/knee.py), and eleven times. What merely takes long has no queue before it
    1, 3 s          a refused client comes back in SOONEST seconds or later: an answer within one
                    second is better in any case, and clients wait for three

A threshold alone would not do: one that an operator has set far too low, as in Cygnus' Figure 10,
makes all nodes critical while nothing is wrong; and the ones that agents find (plan/knee.py) come
too late, if at all: in a lab at twice the load clients had long given up.

Refusing never leaves slots of a proxy idle: it refuses only while it has about four times as many
requests as it can serve at once. With fewer it accepts all, whatever the level. In an open loop at
twice the load an accepted request takes 2.1 s, or eight times as long as alone. Where refused
clients retry at once, the queue is as long as before, and as much is served.

The level makes it smooth: from 0 to 0.9 in 9 s. Envoy's admission control refuses max(0, (n -
successes / 0.95) / (n + 1)), which needs failures to start with; here nothing has failed yet.

Only new requests are refused: the decision is made once, when the head has come, before anything is
read or sent. A request that a peer has delegated has begun there, and is not refused.

LIGHT requests are the last to be refused, when hardly anything else is left: "light requests have
high priority" (Table 1, dispatch/content.py), refusing one saves next to nothing, and without a
token or a HEAD no client gets on. All others fill the queue, and nothing of them has been done, so
they can be sent again; Retry-After tells the client when.

    MAX_SHARE = 0.9     some always get through; Envoy's 0.8 would reach for LIGHT requests sooner
    RISE = 0.1          a second
    PAUSE = 1 s         is the longest dt that counts, so that a pause makes no cliff
    SOONEST, LATEST = 5, 15 s   Retry-After: the share finds its level in about ten seconds; at
                        random, so that clients that came together do not come back together
"""
from swift_lb.dispatch.content import LIGHT
from swift_lb.dispatch.trial import Trial

RISE, MAX_SHARE, PAUSE = 0.1, 0.9, 1.0
SLOWER, MUCH_SLOWER = 4.0, 12.0     # times as long as alone
FELT, LONG = 1.0, 3.0               # seconds
SOONEST, LATEST = 5, 15             # seconds


def retry_after(rng):
    """Return the seconds of Retry-After, drawn at random; a whole number (RFC 9110, 10.2.3)."""
    return rng.randint(SOONEST, LATEST)


def wanted(expected, alone):
    """Return the level of refusal that a queue calls for, from 0 to 2 x MAX_SHARE.

    `expected` is the seconds that a request takes behind all that is in flight, `alone` the seconds
    that it takes if nothing else is.
    """
    queued = (expected / alone - SLOWER) / (MUCH_SLOWER - SLOWER)
    felt = (expected - FELT) / (LONG - FELT)
    return MAX_SHARE * max(0.0, min(queued, felt, 2.0))


class Shedder:
    """The level at which one proxy refuses new requests, from 0 to 2 x MAX_SHARE."""

    __slots__ = ('_at', '_trial', 'level')

    def __init__(self):
        self.level, self._at = 0.0, None
        self._trial = Trial()

    def add(self, in_flight, seconds, now):
        """Take a request that had `in_flight` others before it and took `seconds` until `now`."""
        if self.level:
            self._trial.add(in_flight, seconds, now)

    def update(self, aim, now):
        """Move the level a step towards `aim`, that of all proxies; called about once a second."""
        if self._trial.fails(min(self.level, aim, MAX_SHARE), now):
            aim = 0.0
        step = RISE * min(PAUSE, max(0.0, now - self._at)) if self._at is not None else 0.0
        self.level += min(step, max(-step, aim - self.level))
        self._at = now if self._at is None else max(now, self._at)

    def share(self, content, aim):
        """Return the share of new requests of the class `content` to refuse.

        `aim` is the level that the load of this proxy calls for.
        """
        level = min(self.level, aim)
        return max(0.0, level - MAX_SHARE) if content == LIGHT else min(MAX_SHARE, level)

    def sheds(self, content, aim, rng):
        """Return whether to refuse a new request; true at random, for share() of them."""
        return rng.random() < self.share(content, aim)
