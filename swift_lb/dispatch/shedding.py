"""Overload that nobody can take over: a share of new requests is refused with 503. Pure.

While this proxy and all its peers are critical, by the Instruction:

    level += RISE x dt                      unless its requests in flight grow fewer already
    level -= FALL x level x dt              else and otherwise
    share  = min(MOST, level)               of new requests that is refused
             max(0, level - MOST)           of LIGHT ones; level <= 2 x MOST

Requests in flight are smoothed over SMOOTH seconds for that; growing fewer is by DRAIN of them a
second. Thus the level rises as long as the queue does, and stays about where what is let in is what
can be served; the queue works off meanwhile, and everybody is busy. Envoy's admission control
refuses max(0, (n - successes / 0.95) / (n + 1)), which needs failures to start with; here nothing
has failed yet, and being critical says it. 1 - threshold / load would need the threshold, which an
Instruction does not tell.

Only what is new is refused: who asks decides once, when the head has come, before anything is read
or sent. What a peer has handed over has begun there, and is not asked about.

LIGHT requests are the last to be refused, when hardly anything else is left to refuse: "light
requests have high priority" (Table 1, dispatch/content.py), refusing one saves next to nothing, and
without a token or a HEAD no client gets on. All others fill the queue, and nothing of them has been
done, so they can be asked again; Retry-After tells the client when.

    RISE = 0.1      a second: from none to most in 9 s, no cliff, and within the patience of clients
    FALL = 0.05     of it a second: slower than it rises, for an overload that ends costs some
                    refusals, one that comes back in waves costs a queue each time
    MOST = 0.9      some get through always; Envoy's 0.8 would reach for LIGHT requests sooner
    DRAIN = 0.02    a second
    SMOOTH = 1 s    an interval of reports
    PAUSE = 1 s     a rise is reckoned with at most, where nobody has asked for long: no cliff
    SOONEST, LATEST = 5, 15 s   Retry-After: the share finds its level in about ten seconds; as a
                    dice has it, so that who came together does not come back together
"""
import math

from swift_lb.dispatch.content import LIGHT

RISE, FALL, MOST = 0.1, 0.05, 0.9
DRAIN, SMOOTH, PAUSE = 0.02, 1.0, 1.0
LEAST = 0.001       # a level: less is none
SOONEST, LATEST = 5, 15     # seconds


def retry_after(rng):
    """Return the seconds of Retry-After, whole as HTTP has them (RFC 9110, 10.2.3)."""
    return rng.randint(SOONEST, LATEST)


class Shedder:
    """Keep the `level` of refusal of one proxy, from 0."""

    __slots__ = ('_at', '_in_flight', 'level')

    def __init__(self):
        self.level = 0.0
        self._at = self._in_flight = None

    def update(self, all_critical, in_flight, now):
        """Take whether all are critical, and this proxy's requests in flight.

        To be called with every request or every second, as one likes.
        """
        if self._at is None:
            self._at, self._in_flight = now, float(in_flight)
        passed = max(0.0, now - self._at)
        drained = self._drained(in_flight, passed)
        if all_critical and not drained:
            self.level = min(2 * MOST, self.level + RISE * min(passed, PAUSE))
        elif self.level:
            level = self.level * math.exp(-FALL * passed)
            self.level = level if level >= LEAST else 0.0
        self._at = max(now, self._at)

    def _drained(self, in_flight, passed):
        """Return whether requests in flight grow fewer by DRAIN of them a second."""
        before = self._in_flight
        self._in_flight += (in_flight - before) * (1.0 - math.exp(-passed / SMOOTH))
        return before - self._in_flight > DRAIN * before * passed

    def share(self, content):
        """Return the share of new requests of the class `content` that is refused."""
        return max(0.0, self.level - MOST) if content == LIGHT else min(MOST, self.level)

    def sheds(self, content, rng):
        """Return whether to refuse a new request of the class `content`."""
        return self.level > 0.0 and rng.random() < self.share(content)
