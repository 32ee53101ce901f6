"""How long one more request would take at a peer, from its last answer and the Instruction. Pure.

    reported   = max(seconds + step x (ours - ours_then), seconds / (in_flight + 1))
    instructed = typical x ratio + later            later = further x max(0, ours - then)
    ratio      = sqrt(peer / own), between 1 / RATIO and RATIO
    fresh      = e^(-age / FADE)            age: seconds since the peer's last answer
    forecast   = max(fresh x reported + (1 - fresh) x instructed, waiting)

    seconds, step, in_flight    the peer's report with its last answer (wire/peer_load.py): time of
                        one more request, what each further one adds, and the requests it had
    ours, ours_then     our requests in flight at the peer now, and at the time of its report. Those
                        sent since count before the peer reports them (in-flight debit), or all
                        dispatchers would choose the peer that was idle. By queueing, one request
                        alone takes at least seconds / (in_flight + 1)
    peer, own           loads of the peer and of this proxy in the Instruction
    typical             mean of the seconds that recent requests have taken at this proxy
                        (Curve.mean_seconds), and not the seconds of the next one: the loads in the
                        Instruction are as old, and a burst here must not make peers look busy
    further, then       step and ours_then. Before the peer's first answer: typical x ratio and 0,
                        as if it had only our requests, so that it gets a few of them until then
    waiting             seconds for which the oldest of our requests there has waited, else 0

With the metric `auto`, a load is (in_flight + 1) x response_time (plan/load.py). Below the knee
times are constant; beyond it they grow with the requests, and loads with their square, so that the
root of a ratio of loads is a ratio of times. Below the knee, and for other metrics, the root is a
cautious guess, nearer to 1 than the ratio. plan/delegation.py uses it, too.

What a peer had in flight when it reported has ended after some seconds, and by then the Instruction
includes it. Where that has no load, `instructed` is the greater of `reported` and `typical`: a
stale report makes no peer look lighter. After FORGET seconds without either there is no forecast.

    hop     += (max(0, elapsed - took) - hop) / weight
    weight   = min(HOPS, weight x fresh_hop + 1)      fresh_hop = e^(-(now - at) / TAU)
    expected = HOP + fresh_hop x (hop - HOP)

    elapsed, took, at   seconds until an answer's head came, those that it took at the peer, and the
                        instant of the last such sample

    FADE = 2 s      two report intervals of an agent: by then the Instruction has the load
    FORGET = 10 s   as much as a Curve remembers (TAU)
    RATIO = 10      as between two weights (plan/options.py): by the Instruction alone no peer is
                    more than ten times better
    HOP = 2 ms      first guess. In one process a hop takes 0.45 ms; with two busy proxies, a new
                    connection now and then and a network, some four times that
    HOPS = 50       samples: their mean is within 20 % for exponential times
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
    """What is known of one peer: its last PeerLoad, load in the Instruction, and hop time."""

    __slots__ = ('_at', '_hop', '_hop_at', '_load', '_ours', '_ratio', '_weight')

    def __init__(self):
        self._load, self._ours, self._at = None, 0, -math.inf
        self._ratio = None
        self._hop, self._weight, self._hop_at = HOP, 1.0, -math.inf

    def instruct(self, peer, own):
        """Learn the loads of the peer and of this proxy from NodeInstructions; each may be None."""
        if peer is None or own is None or peer.load is None or own.load is None:
            self._ratio = None
        else:
            self._ratio = ratio_of(peer.load, own.load)

    def report(self, load, ours, now):
        """Take the PeerLoad that came with an answer of the peer at the instant `now`.

        `ours` is the number of this host's other requests in flight at the peer.
        """
        self._load, self._ours, self._at = load, ours, now

    def add_hop(self, seconds, took, now):
        """Learn a hop: `seconds` until an answer, less those it `took` at the peer; ignore NaN."""
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
        """Return the Forecast of one more request to the peer, None if nothing is known of it.

        `ours` is the number of this host's requests in flight at the peer, `waiting` the seconds
        that the oldest of them has waited; `typical` is the mean seconds of requests here, or None.
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
        """Return a request's seconds at the peer by the Instruction's loads, None if unknown.

        For `ours`, `typical` see forecast(); `reported` is the time by the peer's last answer.
        """
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
    """Return a request's seconds at a peer from its last PeerLoad and our `more` requests since."""
    return max(load.seconds + load.step * more, load.seconds / (load.in_flight + 1))


def own_load(curve, in_flight, took, now):
    """Return the PeerLoad that this proxy reports with an answer that took `took` seconds.

    `in_flight` is the number of its other requests, `curve` is its Curve.
    """
    expected = curve.expected(in_flight, now)
    if expected is None:
        return PeerLoad(in_flight, took, 0.0)
    return PeerLoad(in_flight, expected, curve.step(in_flight, now))


def ratio_of(peer, own):
    """Return the ratio of a request's time at a peer to that here, derived from their two loads."""
    if not (peer > 0 and own > 0):      # or NaN: plan/load.py makes no such load
        return RATIO
    return min(max(math.sqrt(peer / own), 1 / RATIO), RATIO)
