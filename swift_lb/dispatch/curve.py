"""The time of a request at this proxy, measured by the number in flight when it comes. Pure.

The numbers in flight form bands, two for each doubling: 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23
and so on. Each sample, the seconds of one request, changes its band at the instant `now`:

    weight  = min(MAX_WEIGHT, weight x e^(-(now - at) / TAU) + 1)       at: of the sample before
    seconds += (sample - seconds) / weight          sample: at most OUTLIER x expected
    center  += (in_flight - center) / weight

    recent  += (sample / expected - recent) / RECENT        the ratio is at most CLIP
            for a band of less than KNOWN_SAMPLES samples, `expected` is the time nearest to the
            sample that queueing (below) allows for, by the band with the largest weight
    recent > SLOWER or recent < FASTER: the machine has changed. The `seconds` of all bands are
    multiplied by recent, and no weight stays above KNOWN_SAMPLES

expected(n), the seconds of a request that comes when n are in flight, is a curve through the bands'
points (see the end), linear between two of them. It never falls as n grows. Outside of the bands
two facts of queueing bound it: with one more in flight a request is not answered sooner, and
n + 1 requests do not take longer than n + 1 times one.

    beyond the last     in proportion to n + 1, the upper bound: each request waits for all others
    before the first    in proportion to the root of n + 1. Below the knee the time is constant
                        (M/M/c), beyond it in proportion to n + 1 (processor sharing). Which of the
                        two holds is unknown, and their geometric mean errs least. The first request
                        of a new proxy comes alone, so that band 0 is rarely unknown

A band without new samples counts less and less against its neighbours: after a few times TAU its
seconds are limited to what the bands beside it allow. It is never dropped, since a queue that comes
back mostly takes as long as the last one did.

A proxy that delegates everything does not see that it has become quick again. After IDLE seconds
without a request

    expected(n) is halved every TAU         so that a proxy that took 4 times as long as its peers
                                            is tried again after 20 s, 100 times after a minute

    TAU = 10 s      the memory of Finagle, tower and Linkerd
    MAX_WEIGHT = 200    samples: the standard error of 200 exponential times is 7 % of their mean
    OUTLIER = 10    one upload of a minute among reads of 10 ms says nothing of the next read
    RECENT = 24     samples. With CLIP = 4, a change by a factor of 4 is noticed after about 25
                    samples (slower) or 38 (faster). SLOWER is 7 and FASTER 4 standard deviations of
                    exponential times from 1, so neither is chance. With 16 samples a queue, in
                    which successive times are alike, was sometimes mistaken for a change
    KNOWN_SAMPLES = 5         samples make a band known; after a change, new samples soon outvote 5
    IDLE = 2 s      a proxy with less than one request in 2 s does not delegate because of load
    CLIP, SLOWER, FASTER = 4, 2, 0.4        times what was expected
    LOOK_INTERVAL = 0.1 s    a drawn curve is used for 0.1 s, or until FRESH more samples have come

The curve is drawn through the centers (x) and seconds (y) of the bands:

    1. isotonic regression: of two neighbours with falling y both get their weighted mean, until
       none falls (pool adjacent violators; Barlow et al., "Statistical inference under order
       restrictions", 1972): of all curves that never fall the closest, by least squares
    2. from the point with the largest weight outwards; x', y' is the point before:

        bound = y' x (x + 1) / (x' + 1)
        y = (weight x y + PRIOR x bound) / (weight + PRIOR)         where y is beyond bound

With x requests in flight a request takes y seconds. Where it waits for all others, y is in
proportion to x + 1; where it waits for none, y is constant. A point outside of these two bounds,
measured by chance or long ago, needs more evidence than PRIOR.

    PRIOR = 4       samples: the standard error of four exponential times is half of their mean
"""
import math
from bisect import bisect_right

TAU = 10.0
MAX_WEIGHT = 200.0
OUTLIER = 10.0
RECENT, CLIP, SLOWER, FASTER = 24.0, 4.0, 2.0, 0.4
KNOWN_SAMPLES = 5.0           # samples: a band of so many is known
IDLE = 2.0
LOOK_INTERVAL, FRESH = 0.1, 32
SHORTEST, LONGEST = 1e-6, 9_999.0      # seconds: within the bounds of wire/peer_load.py
MEAN_OVER = 50.0    # samples
PRIOR = 4.0         # samples
MIN_FADED = 1e-9    # of a weight is left, however long ago: weights are never all 0


def band_number(in_flight):
    """Return the number of the band that a count of requests in flight belongs to."""
    if in_flight < 4:
        return in_flight
    bits = in_flight.bit_length()
    return 2 * (bits - 1) + (in_flight >> (bits - 2) & 1)


BANDS = tuple(map(band_number, range(4096)))


class CurveBand:
    """The mean seconds of requests that came when about `center` other ones were in flight."""

    __slots__ = ('at', 'center', 'seconds', 'weight')

    def __init__(self, center, seconds, at):
        self.center, self.seconds = float(center), seconds
        self.weight, self.at = 0.0, at

    def add(self, in_flight, seconds, now):
        """Add a request that took `seconds`, and came when `in_flight` other ones were here."""
        faded = self.weight * math.exp((self.at - now) / TAU) if now > self.at else self.weight
        weight = self.weight = faded + 1.0 if faded < MAX_WEIGHT - 1.0 else MAX_WEIGHT
        self.seconds += (seconds - self.seconds) / weight
        self.center += (in_flight - self.center) / weight
        self.at = now


class Curve:
    """The expected seconds of a request at one proxy, by the requests in flight there.

    `mean_seconds` is a moving average over some 50 requests, None before the first.
    """

    __slots__ = ('_anchor', '_at', '_bands', '_drawn_at', '_fresh', '_recent', '_xs', '_ys',
                 'mean_seconds')

    def __init__(self):
        self.mean_seconds = None
        self._bands = {}
        self._recent = 1.0          # seconds measured to seconds expected
        self._xs = self._ys = ()    # the drawn curve: in_flight and seconds of its knots
        self._anchor = None         # the knot with most evidence
        self._drawn_at, self._fresh = -math.inf, 0
        self._at = math.inf         # when the last request came, whether it counts or not

    def came(self, now):
        """Note that a request has come at the instant `now`: the proxy is not idle."""
        self._at = now

    def add(self, in_flight, seconds, now):
        """Learn from a request that took `seconds`, and came when `in_flight` other ones were here.

        Returns the seconds, at most OUTLIER x those expected, over those expected; None if unknown.
        Negative `seconds`, more than LONGEST and NaN are ignored.
        """
        if not 0.0 <= seconds <= LONGEST:
            return None
        ratio = None
        if seconds < SHORTEST:
            seconds = SHORTEST
        number = BANDS[in_flight] if in_flight < 4096 else band_number(in_flight)
        band = self._bands.get(number)
        if band is None:
            band = self._bands[number] = CurveBand(in_flight, seconds, now)
            self._fresh += FRESH                        # a new knot: draw it soon
        if self._anchor is not None:
            expected = (self._height(in_flight) if band.weight >= KNOWN_SAMPLES
                        else self._allowed(in_flight, seconds))
            seconds = self._compared(seconds, expected)
            ratio = seconds / expected
        band.add(in_flight, seconds, now)
        mean = self.mean_seconds
        self.mean_seconds = seconds if mean is None else mean + (seconds - mean) / MEAN_OVER
        self._fresh += 1
        if self._fresh >= FRESH or now - self._drawn_at >= LOOK_INTERVAL:
            self._draw(now)     # here, where no client waits: the head of the answer is out
        return ratio

    def _allowed(self, in_flight, seconds):
        """Return the time nearest to `seconds` that a queue of `in_flight` requests can explain.

        The bounds are y, the curve's seconds at x, the center of the CurveBand with most evidence,
        and y (in_flight + 1) / (x + 1).
        """
        x, y = self._anchor
        other = y * (in_flight + 1) / (x + 1)
        return min(max(seconds, min(y, other)), max(y, other))

    def _compared(self, seconds, expected):
        """Return `seconds`, limited to OUTLIER x `expected`, and watch the ratio of the two.

        If the mean ratio of many samples is far from 1, the curve is rescaled.
        """
        ratio = seconds / expected
        recent = self._recent
        recent += ((ratio if ratio < CLIP else CLIP) - recent) / RECENT
        self._recent = recent
        if not FASTER < recent < SLOWER:
            self._rescale(recent)
            expected *= recent
        return seconds if seconds < OUTLIER * expected else OUTLIER * expected

    def _rescale(self, ratio):
        """Multiply the seconds of all bands by `ratio`, since the machine has changed its speed."""
        for band in self._bands.values():
            band.seconds = min(max(band.seconds * ratio, SHORTEST), LONGEST)
            band.weight = min(band.weight, KNOWN_SAMPLES)
        x, y = self._anchor
        self._anchor = x, y * ratio
        self._recent, self._drawn_at = 1.0, -math.inf

    def expected(self, in_flight, now):
        """Return the seconds of a request that finds `in_flight` others here, None if unknown."""
        height, idle = self.measured(in_flight, now), now - self._at - IDLE
        if height is None or idle <= 0.0:
            return height
        return max(SHORTEST, height * 0.5 ** (idle / TAU))

    def measured(self, in_flight, now):
        """Return expected() without its fall while the proxy is idle, None if unknown."""
        if self._fresh and now - self._drawn_at >= LOOK_INTERVAL:
            self._draw(now)
        return self._height(in_flight) if self._xs else None

    def _height(self, in_flight):
        xs, ys = self._xs, self._ys
        right = bisect_right(xs, in_flight)
        if right == 0:
            return ys[0] * math.sqrt((in_flight + 1) / (xs[0] + 1))
        x, y = xs[right - 1], ys[right - 1]
        if right == len(xs):
            return y * (in_flight + 1) / (x + 1)
        return y + (ys[right] - y) * (in_flight - x) / (xs[right] - x)

    def step(self, in_flight, now):
        """Return by how many seconds each further request delays the next one, None if unknown.

        It is the mean slope of the curve from n = `in_flight` to 2 n + 1 requests. The slope at n
        alone is 0 where all n are served at once, even if the next request has to wait.
        """
        expected = self.expected(in_flight, now)
        if expected is None:
            return None
        return max(0.0, self.expected(2 * in_flight + 1, now) - expected) / (in_flight + 1)

    def _draw(self, now):
        bands = [self._bands[number] for number in sorted(self._bands)]
        weights = [band.weight * max(MIN_FADED, math.exp(min(0.0, band.at - now) / TAU))
                   for band in bands]
        self._xs, self._ys = knots(
            [band.center for band in bands], [band.seconds for band in bands], weights)
        heaviest = max(range(len(bands)), key=weights.__getitem__)
        self._anchor = self._xs[heaviest], self._ys[heaviest]
        self._drawn_at, self._fresh = now, 0


def knots(xs, ys, weights):
    """Return (xs, ys) of the curve for measured points: requests in flight `xs`, seconds `ys`.

    The curve's ys never fall. `weights` are the points' numbers of samples. No queue lets seconds
    grow faster than x + 1: from the point with most samples outwards, a y beyond this bound is
    moved towards it.
    """
    heights = isotonic(ys, weights)
    first = max(range(len(xs)), key=weights.__getitem__, default=0)
    for place in range(first + 1, len(xs)):
        bound = heights[place - 1] * (xs[place] + 1) / (xs[place - 1] + 1)
        if heights[place] > bound:
            heights[place] = mixed(heights[place], bound, weights[place])
    for place in range(first - 1, -1, -1):
        bound = heights[place + 1] * (xs[place] + 1) / (xs[place + 1] + 1)
        if heights[place] < bound:
            heights[place] = mixed(heights[place], bound, weights[place])
    return xs, heights


def mixed(measured, bound, weight):
    """Return the mean of `measured`, counted as `weight` samples, and `bound`, as PRIOR samples."""
    return (weight * measured + PRIOR * bound) / (weight + PRIOR)


def isotonic(ys, weights):
    """Return the list whose values never fall that is closest to `ys` by weighted least squares."""
    pools = []          # [height, weight, members]
    for height, weight in zip(ys, weights, strict=True):
        members = 1
        while pools and pools[-1][0] > height:
            before, heavy, many = pools.pop()
            height = (before * heavy + height * weight) / (heavy + weight)
            weight, members = heavy + weight, many + members
        pools.append((height, weight, members))
    return [height for height, _weight, members in pools for _ in range(members)]
