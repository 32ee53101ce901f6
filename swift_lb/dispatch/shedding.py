"""In an overload that no peer can take over, a share of new requests is refused with 503. Pure.

    wanted(t) = MAX_SHARE x min((t / alone - 4) / 8, (t - 1) / 2)       from 0 to 2 x MAX_SHARE
    level     moves by at most RISE x dt towards wanted(min(here, elsewhere)), towards 0 where no
              queue has turned out to be the reason for long times (dispatch/trial.py)
    share     = min(MAX_SHARE, level, wanted(here))                 refused of new requests
                max(0, min(level, wanted(here)) - MAX_SHARE)        refused of LIGHT ones

    here, alone     seconds that a request takes at this proxy with all its requests in flight, and
                    with none, as measured (dispatch/curve.py)
    elsewhere       the least forecast of a peer, seconds (dispatch/outlook.py). Peers that are
                    rejected or critical in the Instruction do not count: nothing is delegated there
    dt              seconds since the level was last moved

So a request is refused only if no peer could serve it and this proxy itself has a queue. Both terms
of wanted() must be above 0: there is a queue, and clients feel it.

    4, 12 x alone   a request waits three times as long as it is served (as in a `critical` state,
                    plan/knee.py), and eleven times. Requests that merely take long have no queue
    1, 3 s          a refused client comes back in SOONEST seconds or later: an answer within one
                    second is better in any case, and clients wait for three

A threshold of load alone does not suffice: one that an operator has set far too low, as in Cygnus'
Figure 10, makes all nodes critical while nothing is wrong; and those that agents find
(plan/knee.py) come too late, if at all: in a lab at twice its capacity clients had long given up.

Refusing never leaves a proxy idle: it refuses only while it has about four times as many requests
as it can serve at once. With fewer it accepts all, whatever the level. In an open loop at twice the
capacity an accepted request takes 2.1 s, or eight times as long as alone. Where refused clients
retry at once, the queue is as long as without refusals, and the throughput is the same.

The level changes smoothly: from 0 to 0.9 in 9 s. Envoy's admission control refuses max(0, (n -
successes / 0.95) / (n + 1)) of n requests, which needs failures first; here nothing has failed yet.

Only new requests are refused: the decision is made once, when the head has come, before anything is
read or sent. A request that a peer has delegated has begun at the peer, and is not refused.

LIGHT requests are the last to be refused, when hardly anything else is left: "light requests have
high priority" (Table 1, dispatch/content.py), refusing one saves next to nothing, and without a
token or a HEAD no client can continue. Other requests fill the queue. Nothing has been done for a
refused request, so it can be sent again; Retry-After tells the client when.

    MAX_SHARE = 0.9     some always get through; Envoy's 0.8 would reach for LIGHT requests sooner
    RISE = 0.1          a second
    PAUSE = 1 s         the longest dt that counts, so that the level does not jump after a pause
    SOONEST, LATEST = 5, 15 s   Retry-After: the share settles in about ten seconds; drawn at
                        random, so that clients that came together do not come back together
"""
from swift_lb.dispatch.content import LIGHT
from swift_lb.dispatch.trial import Trial

RISE, MAX_SHARE, PAUSE = 0.1, 0.9, 1.0
SLOWER, MUCH_SLOWER = 4.0, 12.0     # times as long as alone
FELT, LONG = 1.0, 3.0               # seconds
SOONEST, LATEST = 5, 15             # seconds


def retry_after(rng):
    """Return a random whole number of seconds for the header Retry-After (RFC 9110, 10.2.3)."""
    return rng.randint(SOONEST, LATEST)


def wanted(expected, alone):
    """Return the level of refusal that a queue calls for, from 0 to 2 x MAX_SHARE.

    Up to MAX_SHARE it is the share to refuse of all but LIGHT requests; the rest of it is the share
    of LIGHT ones. `expected` is the seconds that a request takes behind all requests in flight,
    `alone` the seconds that it takes without any other.
    """
    queued = (expected / alone - SLOWER) / (MUCH_SLOWER - SLOWER)
    felt = (expected - FELT) / (LONG - FELT)
    return MAX_SHARE * max(0.0, min(queued, felt, 2.0))


class Shedder:
    """The level at which one proxy refuses new requests, from 0 to 2 x MAX_SHARE.

    Up to MAX_SHARE it is the share of all but LIGHT requests; what is above is that of LIGHT ones.
    """

    __slots__ = ('_at', '_trial', 'level')

    def __init__(self):
        self.level, self._at = 0.0, None
        self._trial = Trial()

    def add(self, in_flight, seconds, now):
        """Learn from a request that found `in_flight` other ones and took `seconds` until `now`."""
        if self.level:
            self._trial.add(in_flight, seconds, now)

    def update(self, aim, now):
        """Move the level a step towards `aim`; the caller does so about once a second.

        `aim` is the level that the least loaded proxy, this one or a peer, calls for.
        """
        if self._trial.fails(min(self.level, aim, MAX_SHARE), now):
            aim = 0.0
        step = RISE * min(PAUSE, max(0.0, now - self._at)) if self._at is not None else 0.0
        self.level += min(step, max(-step, aim - self.level))
        self._at = now if self._at is None else max(now, self._at)

    def share(self, content, aim):
        """Return the fraction to refuse of the new requests of the class `content`.

        `aim` is the level that the load of this proxy calls for.
        """
        level = min(self.level, aim)
        return max(0.0, level - MAX_SHARE) if content == LIGHT else min(MAX_SHARE, level)

    def sheds(self, content, aim, rng):
        """Return whether to refuse a new request: True at random, for the fraction share()."""
        return rng.random() < self.share(content, aim)
