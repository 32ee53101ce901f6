"""From which load one node serves no more, found out by watching it: its own thresholds. Pure.

A node that is given more to do serves more, until all it has is busy; from then on only its queue
grows. That load is the knee. Each second it says how many requests it has and how many it answers:

    load, throughput    smoothed alike over SMOOTH seconds: by chance a node has twice as many
                        requests as a moment ago, and answers as many. While a queue comes or
                        goes faster than that, nothing is learnt
    bands of load       each STEP times the last one; of each the mean throughput, of which older
                        evidence counts less and less: after MEMORY seconds a third
    plateau             two bands, one of at least TWICE the other's load, which is FEW or more,
                        with no more throughput than (1 + GAIN) times the other's; and the
                        lightest of all has at most LESS of it; each with ENOUGH seconds
    knee                throughput of the plateau x least (load / throughput) of all bands: what is
                        in flight, by Little's law, when as much is served and nobody waits; it is
                        at most 1 / TWICE of the heaviest band

    reject   = 2 x knee, at least FEW           critical = 2 x reject

At twice the knee as many wait as are served: who comes waits as long as it is served. That is what
has been seen, too: there is no threshold before there was twice the load with nothing gained, and a
node that has little to do has none. FEW keeps those that serve one at a time from being rejected
for a handful of requests.

No band counts for more than MOST seconds, so that what was before a node became slow, or fast
again, is forgotten within a minute and a half, however long it was so; within DOUBT seconds, where
more load brings clearly less now than a lighter one is said to. A knee stays, once seen, while its
node is so busy that no lighter load is seen, and for MEMORY after; then it has to be seen anew.

Throughput is to be what is answered, not what comes: of an open loop more and more comes.
"""
import math

SMOOTH, MEMORY, DOUBT = 5.0, 60.0, 8.0      # updates: seconds
STEP = math.sqrt(2)
TWICE = 1.9         # times the load, between the means of two bands
GAIN, LESS = 0.1, 0.75
ENOUGH, MOST = 3.0, 12.0        # seconds of evidence
FEW = 10.0          # requests
LEAST = 1.0         # a load, smoothed, of less says nothing


class Band:
    """What has been seen at loads that are much alike."""

    __slots__ = ('load', 'throughput', 'weight')

    def __init__(self):
        self.load = self.throughput = self.weight = 0.0

    def add(self, load, throughput):
        """Take what has been seen in a second."""
        self.weight = min(MOST, self.weight + 1)
        self.load += (load - self.load) / self.weight
        self.throughput += (throughput - self.throughput) / self.weight


class Knee:
    """Watch one node; `reject` and `critical` are None until its knee has been seen."""

    def __init__(self):
        self.reject = self.critical = None
        self._load = self._throughput = None
        self._bands, self._left = {}, 0.0

    def update(self, load, throughput):
        """Take a second's requests in flight and requests answered per second."""
        if self._load is None:
            self._load, self._throughput = float(load), float(throughput)
        self._load += (load - self._load) / SMOOTH
        self._throughput += (throughput - self._throughput) / SMOOTH
        steady = self._load <= 2 * load + 2 and load <= 2 * self._load + 2
        changed = steady and any(self._refutes(band) for band in self._bands.values())
        for band in self._bands.values():
            band.weight -= band.weight / (DOUBT if changed else MEMORY)
        if steady and self._load >= LEAST:
            self._bands.setdefault(band_of(self._load), Band()).add(self._load, self._throughput)
        self._set(knee([band for band in self._bands.values() if band.weight >= ENOUGH]))

    def _refutes(self, band):
        """Return whether more load brings much less now than a Band says: the node has changed."""
        return (band.weight >= ENOUGH and band.load <= self._load
                and self._throughput < (1 - 2 * GAIN) * band.throughput)

    def _set(self, found):
        self._left -= 1
        if found is not None:
            self.reject, self._left = max(FEW, 2 * found), MEMORY
            self.critical = 2 * self.reject
        elif self.reject is not None and self._load >= self.reject / 2:
            self._left = MEMORY         # it is as busy as then: it sees no lighter load
        elif self._left <= 0:
            self.reject = self.critical = None


def band_of(load):
    """Return the number of the band of a load."""
    number, most = 0, LEAST * STEP
    while load >= most:
        number, most = number + 1, most * STEP
    return number


def knee(bands):
    """Return the load from which more brings nothing by `bands`, None if that has not been seen."""
    most = max((band.throughput for band in bands), default=0.0)
    flat = [band for band in bands if (1 + GAIN) * band.throughput >= most]
    if not most or min(bands, key=load_of).throughput > LESS * most:
        return None
    least, seen = min(flat, key=load_of).load, max(flat, key=load_of).load
    found = (math.fsum(band.throughput for band in flat) / len(flat)
             * min(band.load / band.throughput for band in bands if band.throughput > 0))
    return found if seen >= max(FEW, TWICE * least, TWICE * found) else None


def load_of(band):
    """Return the load of a Band."""
    return band.load
