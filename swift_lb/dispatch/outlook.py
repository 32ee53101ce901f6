"""How long one more request would take at a peer now: by its last answer and the Instruction. Pure.

    reported   = max(seconds + step x (ours - ours_then), seconds / (in_flight + 1))
    instructed = typical x ratio + later            later = further x max(0, ours - then)
    ratio      = sqrt(peer / own), between 1 / RATIO and RATIO
    fresh      = e^(-age / FADE)
    forecast   = max(fresh x reported + (1 - fresh) x instructed, waiting)

    seconds, step, in_flight    the peer's report with its last answer (wire/peer_load.py)
    ours, ours_then     our requests in flight there now, and then. A dispatcher that has sent more
                        since counts them before the peer reports them (in-flight debit), or all
                        dispatchers would choose the peer that was idle. By queueing, one request
                        alone takes at least seconds / (in_flight + 1): no credit makes it less
    peer, own           loads of the peer and of this proxy in the Instruction
    typical             mean of the seconds that recent requests have taken at this proxy
                        (Curve.mean_seconds), and not the seconds of the next one: the loads in the
                        Instruction are as old, and a burst here must not make peers look busy
    further, then       step and ours_then; typical x ratio and 0 if the peer has not answered yet:
                        as if it had nothing else to do, so that it gets a few requests until then
    waiting             seconds for which our longest request has waited there, if it is known

With `auto`, a load is in_flight + 1 times response_time (plan/load.py). Below the knee times are
equal and loads are in proportion to requests, beyond it both grow, and load with the square: the
root is right there, and between the two elsewhere. plan/delegation.py uses it, too, and it is mild
for other metrics, of which only the ratio means anything.

What was in flight when a peer reported has gone after some seconds, and by then the Instruction
tells of it. Where the Instruction has no load, instructed is no less than reported and typical:
stale is never lighter. After FORGET seconds without a report and without a load in the Instruction
there is no forecast.

    hop += (max(0, seconds here - took there) - hop) / weight
    weight = min(HOPS, weight x fresh_hop + 1)      fresh_hop = e^(-(now - at) / TAU)
    the hop that is expected: HOP + fresh_hop x (hop - HOP)

    FADE = 2 s      two reports of an agent, of 1 s each: by then the Instruction has the load
    FORGET = 10 s   as much as a Curve remembers (TAU)
    RATIO = 10      as between two weights (plan/options.py): by the Instruction alone no peer is
                    more than ten times better
    HOP = 2 ms      first guess. In one process a hop takes 0.45 ms; with two busy proxies, a new
                    connection now and then and a network, some four times that
    HOPS = 50       samples: within 20 % for exponential times
    TAU = 10 s      as of a Curve; a peer that is not asked any more gets the first guess again
"""
import math

from swift_lb.model import Forecast
from swift_lb.wire.peer_load import MAX_SECONDS, MIN_SECONDS, PeerLoad

FADE, FORGET = 2.0, 10.0    # seconds
RATIO = 10.0
HOP = 0.002                 # seconds
HOPS, TAU = 50.0, 10.0


class Outlook:
    """What is known of one peer: its last PeerLoad, its load in the Instruction, and the hop."""

    __slots__ = ('_at', '_hop', '_hop_at', '_load', '_ours', '_ratio', '_weight')

    def __init__(self):
        self._load, self._ours, self._at = None, 0, -math.inf
        self._ratio = None
        self._hop, self._weight, self._hop_at = HOP, 1.0, -math.inf

    def instruct(self, peer, own):
        """Take the NodeInstructions of the peer and of this proxy, `own`; each may be None."""
        if peer is None or own is None or peer.load is None or own.load is None:
            self._ratio = None
        else:
            self._ratio = ratio_of(peer.load, own.load)

    def report(self, load, ours, now):
        """Take the PeerLoad that came with an answer of the peer at the instant `now`.

        `ours` is the number of this host's other requests in flight there.
        """
        self._load, self._ours, self._at = load, ours, now

    def add_hop(self, seconds, took, now):
        """Learn the hop: seconds of an answer here less those that it `took` there, if no NaN."""
        hop = seconds - took
        if math.isnan(hop):
            return
        hop = min(max(hop, 0.0), MAX_SECONDS)
        faded = self._faded(now)
        self._hop = HOP + faded * (self._hop - HOP)
        self._weight = min(HOPS, self._weight * faded + 1.0)
        self._hop += (hop - self._hop) / self._weight
        self._hop_at = now

    def forecast(self, ours, now, typical, waiting=0.0):
        """Return the Forecast with `ours` of our requests there, None if nothing is known.

        `typical` is the mean of seconds that requests take at this proxy, None if unknown;
        `waiting` is the seconds for which our longest request has waited there.
        """
        load, age = self._load, max(0.0, now - self._at)
        reported = None if load is None else reported_seconds(load, ours - self._ours)
        instructed = self._instructed(ours, typical, reported)
        if instructed is None or (self._ratio is None and age > FORGET):
            return None
        fresh = math.exp(-age / FADE)
        seconds = instructed if reported is None else (
            fresh * reported + (1.0 - fresh) * instructed)
        hop = HOP + self._faded(now) * (self._hop - HOP)
        return Forecast(min(max(seconds, waiting, MIN_SECONDS), MAX_SECONDS), hop)

    def _instructed(self, ours, typical, reported):
        """Return the seconds by the Instruction, None if there is neither a load nor a report."""
        if typical is None:
            return reported
        if self._ratio is None:
            return None if reported is None else max(reported, typical)
        seconds = typical * self._ratio
        if self._load is None:
            return seconds * (1 + ours)
        return seconds + self._load.step * max(0, ours - self._ours)

    def _faded(self, now):
        return math.exp(min(0.0, self._hop_at - now) / TAU)


def reported_seconds(load, more):
    """Return the seconds of a request at a peer by its last PeerLoad and our `more` since then."""
    return max(load.seconds + load.step * more, load.seconds / (load.in_flight + 1))


def own_load(curve, in_flight, took, now):
    """Return the PeerLoad that this proxy reports with an answer that took `took` seconds.

    `in_flight` are its other requests, `curve` is its Curve.
    """
    expected = curve.expected(in_flight, now)
    if expected is None:
        return PeerLoad(in_flight, took, 0.0)
    return PeerLoad(in_flight, expected, curve.step(in_flight, now))


def ratio_of(peer, own):
    """Return how many times as long requests take at a peer as here, by the two loads."""
    if not (peer > 0 and own > 0):      # or NaN: plan/load.py makes no such load
        return RATIO
    return min(max(math.sqrt(peer / own), 1 / RATIO), RATIO)
