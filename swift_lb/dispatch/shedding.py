"""Overload that nobody can take over: a share of new requests is refused with 503. Pure.

    wanted(t) = MOST x min((t / alone - 4) / 8, (t - 1) / 2)        from 0 to 2 x MOST
    level    += at most RISE x dt, towards wanted(min(here, elsewhere)), 0 where what takes long has
                turned out to be no queue (dispatch/trial.py)
    share     = min(MOST, level, wanted(here))              of new requests that is refused
                max(0, min(level, wanted(here)) - MOST)     of LIGHT ones

    here, alone     seconds that a request takes this proxy with all that it has in flight, and
                    with nothing, as measured (dispatch/curve.py)
    elsewhere       the least that a peer is expected to take (dispatch/outlook.py); those that the
                    Instruction calls rejected or critical do not count: nothing is handed to them

Thus nobody is refused whom a peer could serve, nor unless this proxy itself has a queue. That is
what critical means here: both that it is a queue and that it is felt.

    4, 12 x alone   a request waits three times as long as it is served (`critical` is as much in
                    plan/knee.py), and eleven times. What merely takes long has no queue before it
    1, 3 s          whoever is refused comes back in SOONEST seconds or later: to be answered within
                    one is better in any case, and three are still within any patience

A threshold alone would not do: where an operator has set one far too low, as in Cygnus' Figure 10,
all are critical while nothing is wrong; and one that agents find by themselves (plan/knee.py) comes
too late, if at all: in a lab at twice the load clients had long given up.

The slots of a proxy never idle because it refuses: as long as it does, it has about four times as
many requests as it can serve at once, or more; when they get fewer none is refused, at once,
whatever the level. Where requests come by themselves the queue finds its length: at twice the load
who is let in takes 2.1 s, or eight times as long as alone. Where refused clients ask again at once,
the queue is as long as ever, and as much is served.

The level is there for smoothness: to 0.9 in 9 s. Envoy's admission control refuses max(0, (n -
successes / 0.95) / (n + 1)), which needs failures to start with; here nothing has failed yet.

Only what is new is refused: who asks decides once, when the head has come, before anything is read
or sent. What a peer has handed over has begun there, and is not asked about.

LIGHT requests are the last to be refused, when hardly anything else is left to refuse: "light
requests have high priority" (Table 1, dispatch/content.py), refusing one saves next to nothing, and
without a token or a HEAD no client gets on. All others fill the queue, and nothing of them has been
done, so they can be asked again; Retry-After tells the client when.

    MOST = 0.9      some get through always; Envoy's 0.8 would reach for LIGHT requests sooner
    RISE = 0.1      a second
    PAUSE = 1 s     a change is reckoned with at most, where nobody has asked for long: no cliff
    SOONEST, LATEST = 5, 15 s   Retry-After: the share finds its level in about ten seconds; as a
                    dice has it, so that who came together does not come back together
"""
from swift_lb.dispatch.content import LIGHT
from swift_lb.dispatch.trial import Trial

RISE, MOST, PAUSE = 0.1, 0.9, 1.0
SLOWER, MUCH_SLOWER = 4.0, 12.0     # times as long as alone
FELT, LONG = 1.0, 3.0               # seconds
SOONEST, LATEST = 5, 15             # seconds


def retry_after(rng):
    """Return the seconds of Retry-After, whole as HTTP has them (RFC 9110, 10.2.3)."""
    return rng.randint(SOONEST, LATEST)


def wanted(expected, alone):
    """Return the level that a queue calls for: 0 to 2 x MOST."""
    queued = (expected / alone - SLOWER) / (MUCH_SLOWER - SLOWER)
    felt = (expected - FELT) / (LONG - FELT)
    return MOST * max(0.0, min(queued, felt, 2.0))


class Shedder:
    """Keep the `level` of refusal of one proxy, from 0."""

    __slots__ = ('_at', '_trial', 'level')

    def __init__(self):
        self.level, self._at = 0.0, None
        self._trial = Trial()

    def add(self, in_flight, seconds, now):
        """Take a request that had `in_flight` others before it and took `seconds` until `now`."""
        if self.level:
            self._trial.add(in_flight, seconds, now)

    def update(self, aim, now):
        """Bring the level nearer to `aim`, what is wanted of all; each second or so."""
        if self._trial.fails(min(self.level, aim, MOST), now):
            aim = 0.0
        most = RISE * min(PAUSE, max(0.0, now - self._at)) if self._at is not None else 0.0
        self.level += min(most, max(-most, aim - self.level))
        self._at = now if self._at is None else max(now, self._at)

    def share(self, content, aim):
        """Return the share refused of the class `content` while `aim` is wanted here."""
        level = min(self.level, aim)
        return max(0.0, level - MOST) if content == LIGHT else min(MOST, level)

    def sheds(self, content, aim, rng):
        """Return whether to refuse a new request of the class `content`."""
        return rng.random() < self.share(content, aim)
