"""How fast a device works off what is asked of it, and what it has to work off: for `adaptive`.

    sample = first_byte_time / (ahead + 1)
    weight = weight x e^(-(now - at) / TAU) + 1
    seconds += (sample - seconds) / weight
    recent  += (sample - recent) x max(1/5, 1 / weight)
    if weight > 5 and (recent > SLOWER x seconds or recent < seconds / FASTER):
        seconds = recent, weight = 5

    seconds   the time the device takes for one request, however many it has at once
    weight    how many samples that rests on; a sample is forgotten after some TAU seconds
    ahead     reads that were there before it: this host's by its own count, everybody's by the
              node's report of this moment, whichever are more
    recent    the same over some nine samples: so far off is no chance, the device has changed, and
              what was before counts no longer

    others    requests of other proxies on the device: what the node reports less what is ours and
              waited for (it does not count those that wait for their client), the mean of reports
              (over twenty, and forgotten as samples are), and by how much the last one was off it

What follows the first chunk of a read:

    further  += (least of READS and the chunks after the first - further) / READS
    sample    = time the proxy waited for these / their number
    weight    = weight x e^(-(now - at) / TAU) + 1
    seconds  += (sample - seconds) / weight

    further   how many chunks follow the first of a read, in the mean of all of the book's; a single
              one, however large, moves that by one chunk at most
    seconds   the time the device takes for one of them

A probe, of a device that has not been asked for IDLE seconds, is held against what was known as
against no more than PROBED samples: that was long ago. If it is FASTER, the device may have been
mended, and is asked again as soon as the account of probes has one.

A failure is a sample of FAILURE seconds, dated when the device was last heard of or asked, if it is
not alone: each failure counts one, each answer halves the count, and from AGAIN on it is no
accident. One among answers says nothing of the next read, and Swift has the object elsewhere.

    TAU = 10 s      Finagle's, tower's and Linkerd's memory
    FAILURE = 5 s   Linkerd's penalty estimator
    SLOWER = 2.3, FASTER = 3    so far off is the mean of nine exponential times by a chance of
                    0.1 and 0.4 %
    AGAIN = 1.5     two in a row, or with one answer between them
    PROBED = 2      samples: so some five probes decide
    READS = 256     reads: a second of a busy host; half of that and twice make no difference
    FEW = 0.001     chunks: a mean below this is set to 0
"""
from math import exp, inf
from typing import NamedTuple

from swift_lb.load.evidence import Evidence
from swift_lb.load.tail_time import ABSURD
from swift_lb.model import make

TAU = 10.0
FAILURE = 5.0
RECENT_SAMPLES = 5.0      # a moving average of 1/5 is known as well as the mean of nine
LEAST = 1.0 / RECENT_SAMPLES
SLOWER, FASTER = 2.3, 3.0
REPORTS = 20.0
AGAIN = 1.5
PROBED = 2.0
READS = 256
FEW = 0.001


def faded(at, now):
    """Return what is left of a weight since the instant `at`: at most all of it."""
    return exp((at - now) / TAU) if at < now else 1.0


# The words of one device's Pace: those that DevicePace shows, in its order, and three more.
(SECONDS, WEIGHT, AT, PROGRESS_AT, ASKED_AT, SERVICE_TIME, REPORTED_AT, OTHERS, SURPLUS,
 FURTHER_SECONDS, FURTHER_WEIGHT, FURTHER_AT, RECENT, REPORTED, FAILURES) = range(15)
SHOWN, WORDS = 12, 15
NEVER = inf             # when a device was asked that has never been
BLANK = tuple(NEVER if field == ASKED_AT else 0.0 for field in range(WORDS))

# The words of a FleetPace. The third is HedgeBudget's, where both are shared.
TYPICAL, ACCOUNT, _HEDGES, FURTHER, FLEET_REPORTED_AT = range(5)


class DevicePace(NamedTuple):
    """What is known of one device; where nothing is, a weight is 0, and so is what it weighs."""

    seconds: float          # of one request
    weight: float           # samples it rested on at the instant `at`: see faded()
    at: float
    progress_at: float      # since when it has owed us a first byte and given none
    asked_at: float         # when the last read was sent to it
    service_time: float     # of the node's last DeviceReport, 0 before the first
    reported_at: float      # when that came
    others: float           # requests of others there, in the mean
    surplus: float          # by how many there were more than that at the last report
    further_seconds: float  # of a chunk after the first, 0 before there was one
    further_weight: float   # the reads that rests on at `further_at`
    further_at: float


UNKNOWN = DevicePace(*BLANK[:SHOWN])


class Fleet(NamedTuple):
    """What is known of all devices of a book together."""

    typical: float           # seconds of one request, the median; 0 before the first answer
    may_probe: bool          # whether the account of probes has one left
    further: float           # chunks that follow the first of a read, in the mean
    reported_at: float       # when a node last reported: they have the filter; 0 before the first


class FleetPace:
    """What the devices of a book have in common: typical pace and size, an account of probes.

    The typical pace is the median of all samples, over some fifty: a step of 2 % up or down with
    each sample, so that as many are greater as are less where it comes to rest, and no scale has to
    be known.
    """

    __slots__ = ('_words',)

    STEP = 1.02
    BUDGET = 0.005      # probes an order: half of a hundredth, for they are not to be the p99
    IDLE = 2.0          # seconds unasked, after which an order of a device is a probe

    def __init__(self, words=None):
        """`words` is where the numbers are kept, a mutable sequence; a list of its own if None."""
        self._words = [0.0] * 5 if words is None else words

    def answered(self, sample):
        """Take a sample of the time that one request takes."""
        words = self._words
        seconds = words[TYPICAL]
        if not 0.0 < seconds < ABSURD:      # the first; or what nobody wrote, where it is shared
            words[TYPICAL] = sample
        elif sample > seconds:
            words[TYPICAL] = seconds * self.STEP
        else:
            words[TYPICAL] = seconds / self.STEP

    def ordered(self, asked_at, now):
        """Account for an order whose first was last asked at `asked_at`."""
        account = self._words[ACCOUNT] + self.BUDGET
        if not self.BUDGET <= account < 1.0:
            spent = now - asked_at > self.IDLE or not 1.0 <= account < 2.0
            account = 0.0 if spent else 1.0
        self._words[ACCOUNT] = account

    def ended(self, further):
        """Note that `further` chunks of a read have followed its first."""
        before = self._words[FURTHER]
        if not 0.0 <= before < ABSURD:
            before = 0.0
        if further != before:
            mean = before + (min(further, READS) - before) / READS
            self._words[FURTHER] = mean if mean >= FEW else 0.0

    def reported(self, now):
        """Note that a node reports."""
        self._words[FLEET_REPORTED_AT] = now

    def view(self):
        """Return the Fleet."""
        words = self._words
        typical, account = words[TYPICAL], words[ACCOUNT]
        further, reported_at = words[FURTHER], words[FLEET_REPORTED_AT]
        return make(Fleet, (typical if 0.0 < typical < ABSURD else 0.0, account >= 1.0,
                            further if 0.0 <= further < ABSURD else 0.0,
                            reported_at if 0.0 <= reported_at < ABSURD else 0.0))


class Pace(Evidence):
    """Keep the pace of one device.

    Where the words are shared, another process may write between any two lines, or forget the
    device: each word that an act reckons with is read once. Other processes can write any value: an
    impossible word counts as unknown where reckoning with it would fail or never end.
    """

    __slots__ = ('_common', '_probing', '_words')

    common = FleetPace

    def __init__(self, common, words=None):
        """Take the FleetPace, and where the WORDS are kept: a list of its own if None."""
        self._common, self._probing = common, False
        self._words = list(BLANK) if words is None else words

    def began(self, now, ahead):
        """Count a read; the first of a queue is waited for from now on."""
        words = self._words
        self._probing = now - words[ASKED_AT] >= FleetPace.IDLE
        if not ahead:
            words[PROGRESS_AT] = now
        words[ASKED_AT] = now

    def answered(self, first_byte_time, ahead, now):
        """Take a sample."""
        words = self._words
        words[PROGRESS_AT] = now
        sample = first_byte_time / (ahead + 1)
        self._common.answered(sample)
        failures = words[FAILURES]
        if failures:
            words[FAILURES] = failures * 0.5
        if self._probing:
            self._probed(sample, now)
        self._learn(sample, now)

    def _probed(self, sample, now):
        words = self._words
        seconds = words[SECONDS]
        if seconds:
            words[WEIGHT] = min(words[WEIGHT], PROBED)
            if sample * FASTER < seconds:
                words[ASKED_AT] = now - FleetPace.IDLE

    def failed(self, timed_out):
        """Take a failure as a sample, though none of what devices typically take."""
        words = self._words
        asked_at = words[ASKED_AT]
        if not asked_at < NEVER:        # another process has just forgotten the device
            return
        failures = words[FAILURES] + 1.0
        words[FAILURES] = failures
        if failures >= AGAIN:
            self._learn(FAILURE, max(asked_at, words[AT]))

    def _learn(self, sample, now):
        words = self._words
        seconds, recent, weight, at = words[SECONDS], words[RECENT], words[WEIGHT], words[AT]
        if not (0.0 < seconds < ABSURD and 0.0 <= recent < ABSURD and 0.0 <= weight < ABSURD):
            seconds = recent = weight = 0.0
        weight = weight * (exp((at - now) / TAU) if at < now else 1.0) + 1.0
        seconds += (sample - seconds) / weight
        recent += (sample - recent) * max(LEAST, 1.0 / weight)
        if weight > RECENT_SAMPLES and not seconds / FASTER < recent < seconds * SLOWER:
            seconds, weight = recent, RECENT_SAMPLES
        words[SECONDS], words[RECENT], words[WEIGHT], words[AT] = seconds, recent, weight, now

    def refused(self, now):
        """Note that it does answer."""
        self._words[PROGRESS_AT] = now

    def reported(self, report, ours, now):
        """Take what the node says."""
        words = self._words
        self._common.reported(now)
        in_flight, service_time = report
        others = in_flight - ours if in_flight > ours else 0
        reports = words[REPORTED] * faded(words[REPORTED_AT], now) + 1.0
        if not 1.0 <= reports < REPORTS:
            reports = REPORTS if reports > 1.0 else 1.0
        mean = words[OTHERS]
        mean += (others - mean) / reports
        words[REPORTED], words[OTHERS], words[SURPLUS] = reports, mean, others - mean
        words[SERVICE_TIME], words[REPORTED_AT] = service_time, now

    def streamed(self, chunks, seconds, now):
        """Take what came after the first chunk as a sample."""
        self._common.ended(chunks)
        if not chunks:
            return
        words = self._words
        mean, weight = words[FURTHER_SECONDS], words[FURTHER_WEIGHT]
        if not (0.0 <= mean < ABSURD and 0.0 <= weight < ABSURD):
            mean = weight = 0.0
        weight = weight * faded(words[FURTHER_AT], now) + 1.0
        words[FURTHER_SECONDS] = mean + (seconds / chunks - mean) / weight
        words[FURTHER_WEIGHT], words[FURTHER_AT] = weight, now

    def put_first(self, now):
        """Pay into the account of probes, and out of it what this order has spent."""
        self._common.ordered(self._words[ASKED_AT], now)

    def view(self):
        """Return the DevicePace."""
        return make(DevicePace, self._words[:SHOWN])
