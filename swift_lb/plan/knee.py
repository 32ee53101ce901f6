"""The knee of one node, the load from which it serves no more, and thresholds from it. Pure.

A node that is given more to do serves more, until all its resources are busy; from then on only its
queue grows. That load is the knee. Each second the node reports its requests in flight (load) and
its answers (throughput):

    smoothing   of both over SMOOTH seconds, since by chance a node may have twice as many requests
                as a second ago, and answer as many. While a queue comes or goes faster than that,
                nothing is learned
    bands       of load, each STEP times as high as the last. Each has its mean throughput, in which
                older evidence counts less and less: after MEMORY seconds a third
    plateau     two bands, of which one has at least TWICE the load, and MIN_IN_FLIGHT or more, and
                at most (1 + GAIN) times the throughput of the other; the lightest of all bands has
                at most LESS of this throughput; each of them has ENOUGH seconds of evidence
    knee        throughput of the plateau x the least load / throughput of any band: by Little's law
                the requests in flight if as many are served and none waits; it is at most
                1 / TWICE of the heaviest band's load

    reject   = 2 x knee, at least MIN_IN_FLIGHT           critical = 2 x reject

At twice the knee as many requests wait as are served: a new one waits as long as it is served. A
plateau means that twice the load was seen without more throughput; until then there are no
thresholds, and a node with little to do has none. MIN_IN_FLIGHT keeps nodes that serve one request
at a time from being rejected for a handful of them.

No band counts for more than MAX_EVIDENCE seconds. So when a node becomes slow, or fast again, what
was before is forgotten within a minute and a half, and within DOUBT seconds where more load has
clearly less throughput now than a lighter band had. A knee stays while its node is so busy that no
lighter load is seen, and for MEMORY after that; then it has to be seen again.

Throughput counts answers, not requests that come: in an open loop these do not depend on the node.
"""
import math

SMOOTH, MEMORY, DOUBT = 5.0, 60.0, 8.0      # updates: seconds
STEP = math.sqrt(2)
TWICE = 1.9         # times the load, between the means of two bands
GAIN, LESS = 0.1, 0.75
ENOUGH, MAX_EVIDENCE = 3.0, 12.0        # seconds
MIN_IN_FLIGHT = 10.0          # requests
MIN_LOAD = 1.0      # requests, smoothed: a smaller load tells nothing


class LoadBand:
    """One node's mean load and throughput over `weight` seconds in which its load was similar."""

    __slots__ = ('load', 'throughput', 'weight')

    def __init__(self):
        self.load = self.throughput = self.weight = 0.0

    def add(self, load, throughput):
        """Add a second with `load` requests in flight and `throughput` answers."""
        self.weight = min(MAX_EVIDENCE, self.weight + 1)
        self.load += (load - self.load) / self.weight
        self.throughput += (throughput - self.throughput) / self.weight


class Knee:
    """Learn one node's thresholds `reject` and `critical`, requests in flight; None if unknown."""

    def __init__(self):
        self.reject = self.critical = None
        self._load = self._throughput = None
        self._bands, self._left = {}, 0.0

    def update(self, load, throughput):
        """Add a second of the node with `load` requests in flight and `throughput` answers."""
        if self._load is None:
            self._load, self._throughput = float(load), float(throughput)
        self._load += (load - self._load) / SMOOTH
        self._throughput += (throughput - self._throughput) / SMOOTH
        steady = self._load <= 2 * load + 2 and load <= 2 * self._load + 2
        changed = steady and any(self._refutes(band) for band in self._bands.values())
        for band in self._bands.values():
            band.weight -= band.weight / (DOUBT if changed else MEMORY)
        if steady and self._load >= MIN_LOAD:
            self._bands.setdefault(band_number(self._load), LoadBand()).add(
                self._load, self._throughput)
        self._set(knee([band for band in self._bands.values() if band.weight >= ENOUGH]))

    def _refutes(self, band):
        """Return whether `band` is out of date: now more load has clearly less throughput."""
        return (band.weight >= ENOUGH and band.load <= self._load
                and self._throughput < (1 - 2 * GAIN) * band.throughput)

    def _set(self, seen):
        self._left -= 1
        if seen is not None:
            self.reject, self._left = max(MIN_IN_FLIGHT, 2 * seen), MEMORY
            self.critical = 2 * self.reject
        elif self.reject is not None and self._load >= self.reject / 2:
            self._left = MEMORY         # still as busy: no lighter load can be seen
        elif self._left <= 0:
            self.reject = self.critical = None


def band_number(load):
    """Return the number, from 0, of the band of loads that `load` requests in flight belong to.

    Each band ends at STEP times the load at which the one before ends.
    """
    number, limit = 0, MIN_LOAD * STEP
    while load >= limit:
        number, limit = number + 1, limit * STEP
    return number


def knee(bands):
    """Return the requests in flight from which throughput grows no more; None if `bands` lack it.

    `bands` are the LoadBands of one node.
    """
    top = max((band.throughput for band in bands), default=0.0)
    flat = [band for band in bands if (1 + GAIN) * band.throughput >= top]
    if not top or min(bands, key=lambda band: band.load).throughput > LESS * top:
        return None
    lightest, heaviest = min(band.load for band in flat), max(band.load for band in flat)
    load = (math.fsum(band.throughput for band in flat) / len(flat)
            * min(band.load / band.throughput for band in bands if band.throughput > 0))
    return load if heaviest >= max(MIN_IN_FLIGHT, TWICE * lightest, TWICE * load) else None
