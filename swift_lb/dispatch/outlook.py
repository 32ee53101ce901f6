"""What is expected of a peer now: from its last answer, and from what the Instruction says. Pure.

    heard   = max(seconds + step x (ours - ours_then), seconds / (in_flight + 1))
    told    = typical x ratio + later               later = further x max(0, ours - then)
    ratio   = sqrt(there / here), between 1 / RATIO and RATIO
    fresh   = e^(-age / FADE)
    forecast = max(fresh x heard + (1 - fresh) x told, waiting)

    seconds, step, in_flight    what the peer said with its last answer (wire/peer_load.py)
    ours, ours_then     our requests in flight there now, and then: who has sent more since pays for
                        them before the peer says so (in-flight debit), or all would choose the one
                        that was idle. By queueing one request alone takes at least seconds /
                        (in_flight + 1), so no credit makes it less
    there, here         Part.load of the peer, and of this proxy
    typical             seconds that requests take at this proxy in the mean of late (Curve.usual);
                        not of the next one: what a Part says is seconds old, and compared with
                        this very moment a peer would seem to be as crowded as this proxy
    further, then       step and ours_then; typical x ratio and 0 of who was never heard: as if it
                        had nothing else to do, so that it gets a few requests until it answers
    waiting             seconds for which our longest has waited there for nothing, if it is known

By `auto` a load is in_flight + 1 times response_time (plan/load.py). Below the knee times are alike
and loads are in proportion to requests, beyond it both grow, and load with the square: the root is
right there, and between the two elsewhere. It is what plan/delegation.py takes too, and mild for
other metrics, of which only the ratio says anything.

News age: what was in flight there is gone after some seconds, and by then is in the Instruction.
Where a Part says nothing, told is no less than heard nor typical: stale is never lighter. After
FORGET seconds without news and without a Part nothing is known, and there is no forecast.

    hop += (max(0, seconds here - took there) - hop) / weight
    weight = min(HOPS, weight x fresh_hop + 1)      fresh_hop = e^(-(now - at) / TAU)
    the hop that is expected: HOP + fresh_hop x (hop - HOP)

    FADE = 2 s      two reports of an agent, of 1 s each: what was there is in the Part by then
    FORGET = 10 s   as much as a Curve remembers (TAU)
    RATIO = 10      as between two weights (plan/options.py): from Parts alone nobody is ten times
                    better
    HOP = 2 ms      first guess. In one process a hop takes 0.45 ms; with two busy proxies, a new
                    connection now and then and a network, some four times that
    HOPS = 50       samples: within 20 % for exponential times
    TAU = 10 s      as of a Curve; who is not asked any more is given the first guess again
"""
import math

from swift_lb.model import Forecast
from swift_lb.wire.peer_load import LEAST, MOST, Load

__all__ = ['Load', 'Outlook']

FADE, FORGET = 2.0, 10.0    # seconds
RATIO = 10.0
HOP = 0.002                 # seconds
HOPS, TAU = 50.0, 10.0


class Outlook:
    """Keep what is known of one peer."""

    __slots__ = ('_at', '_hop', '_hop_at', '_load', '_ours', '_ratio', '_weight')

    def __init__(self):
        self._load, self._ours, self._at = None, 0, -math.inf
        self._ratio = None
        self._hop, self._weight, self._hop_at = HOP, 1.0, -math.inf

    def told(self, there, here):
        """Take what the Instruction says: the Parts of the peer and of this proxy, None: nothing.

        Who finds that the Instruction has expired tells None.
        """
        loads = [part and part.load for part in (there, here)]
        self._ratio = None if None in loads else ratio_of(*loads)

    def heard(self, load, ours, now):
        """Take the Load of an answer; `ours`: our others in flight there at this moment."""
        self._load, self._ours, self._at = load, ours, now

    def answered(self, seconds, took, now):
        """Take how long an answer took here, and there by its own word: the rest is the hop."""
        hop = seconds - took
        if math.isnan(hop):
            return
        hop = min(max(hop, 0.0), MOST)
        faded = self._faded(now)
        self._hop = HOP + faded * (self._hop - HOP)
        self._weight = min(HOPS, self._weight * faded + 1.0)
        self._hop += (hop - self._hop) / self._weight
        self._hop_at = now

    def forecast(self, ours, now, typical, waiting=0.0):
        """Return the Forecast with `ours` of our requests there, None if nothing is known.

        `typical` seconds at this proxy, None if unknown; see the top.
        """
        load, age = self._load, max(0.0, now - self._at)
        heard = None if load is None else heard_seconds(load, ours - self._ours)
        told = self._told(ours, typical, heard)
        if told is None or (self._ratio is None and age > FORGET):
            return None
        fresh = math.exp(-age / FADE)
        seconds = told if heard is None else fresh * heard + (1.0 - fresh) * told
        hop = HOP + self._faded(now) * (self._hop - HOP)
        return Forecast(min(max(seconds, waiting, LEAST), MOST), hop)

    def _told(self, ours, typical, heard):
        """Return the seconds by the Instruction, None if it says nothing and nothing was heard."""
        if typical is None:
            return heard
        if self._ratio is None:
            return None if heard is None else max(heard, typical)
        seconds = typical * self._ratio
        if self._load is None:
            return seconds * (1 + ours)
        return seconds + self._load.step * max(0, ours - self._ours)

    def _faded(self, now):
        return math.exp(min(0.0, self._hop_at - now) / TAU)


def heard_seconds(load, more):
    """Return the seconds of a peer that said `load`, with `more` of our requests there since."""
    return max(load.seconds + load.step * more, load.seconds / (load.in_flight + 1))


def ratio_of(there, here):
    """Return how many times as long requests take there as here, by their loads."""
    if not (there > 0 and here > 0):        # or NaN: plan/load.py makes no such load
        return RATIO
    return min(max(math.sqrt(there / here), 1 / RATIO), RATIO)
