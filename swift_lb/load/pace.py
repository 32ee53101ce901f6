"""How fast a device serves requests, and how many it has to serve: the evidence of `adaptive`.

    sample = first_byte_time / (ahead + 1)
    weight = weight x e^(-(now - at) / TAU) + 1
    seconds += (sample - seconds) / weight
    recent  += (sample - recent) x max(1/5, 1 / weight)
    if weight > 5 and (recent > SLOWER x seconds or recent < seconds / FASTER):
        seconds = recent, weight = 5

    seconds   the device's time for one request, however many it has at once
    weight    the number of samples on which `seconds` rests; each fades with TAU
    at        the instant of the last sample
    ahead     requests that were on the device before this one: this host's reads, or all requests
              by the node's report with this answer, whichever is more
    recent    the same mean over some nine samples. If it is so far off, this is hardly chance: the
              device has changed, and the samples from before the change count no longer

    others    requests of other proxies on the device: all that the node reports, less this host's
              reads for which a proxy waits (a report does not count those that wait for a client).
              Kept are the mean of some twenty reports, and by how much the last one exceeds it

The chunks after the first one of a read are measured apart:

    further  += (min(READS, number of these chunks) - further) / READS
    sample    = seconds for which the proxy waited for these chunks / their number
    weight    = weight x e^(-(now - at) / TAU) + 1
    seconds  += (sample - seconds) / weight

    further   mean number of chunks after the first one, of all reads of the book; a single read,
              however large, raises it by one chunk at most
    seconds   the device's time for one such chunk

A probe is a read of a device that this host has not asked for IDLE seconds. Earlier samples are old
then, and count as no more than PROBED. If the probe is FASTER times as fast as they, the device may
have been mended, and is asked again as soon as the budget of probes has one.

A failure that is not alone is a sample of FAILURE seconds, dated when the device last answered or
was asked: each failure adds one to a count, each answer halves it, and from AGAIN on a failure is
no accident. One failure among answers does not predict the next read, and Swift reads elsewhere.

    TAU = 10 s      Finagle's, tower's and Linkerd's memory
    FAILURE = 5 s   Linkerd's penalty estimator
    SLOWER = 2.3, FASTER = 3    the mean of nine exponential times is so far off by a chance of
                    0.1 and 0.4 %
    AGAIN = 1.5     two failures in a row, or with one answer between them
    PROBED = 2      samples: so some five probes decide
    READS = 256     reads: a second of a busy host; half or twice as many make no difference
    MIN_MEAN = 0.001     chunks: means below this are set to zero
"""
from collections import namedtuple
from math import exp
from typing import NamedTuple

from swift_lb.load.evidence import Evidence
from swift_lb.load.fields import (
    ABSURD,
    AMOUNT,
    INSTANT,
    NEVER,
    NEVER_OR_INSTANT,
    SIGNED,
    FieldTable,
)
from swift_lb.model import fast_tuple

TAU = 10.0
FAILURE = 5.0
RECENT_SAMPLES = 5.0      # a moving average of 1/5 is as exact as the mean of nine
LEAST_SHARE = 1.0 / RECENT_SAMPLES
SLOWER, FASTER = 2.3, 3.0
REPORTS = 20.0
AGAIN = 1.5
PROBED = 2.0
READS = 256
MIN_MEAN = 0.001


def faded(at, now):
    """Return the fraction, 1/e after TAU (10 s), left at `now` of a weight set at instant `at`."""
    return exp((at - now) / TAU) if at < now else 1.0


FIELDS = FieldTable()   # the words of one device's Pace; those of DevicePace first
SECONDS = FIELDS.double('seconds', 0.0, AMOUNT)     # of one request
WEIGHT = FIELDS.double(     # samples on which that rested at the instant `at`: see faded()
    'weight', 0.0, f'{AMOUNT} and (seconds > 0.0 or not weight)')
AT = FIELDS.double('at', 0.0, INSTANT)
PROGRESS_AT = FIELDS.double(    # since when the device has owed us a first byte and given none
    'progress_at', 0.0, INSTANT)
ASKED_AT = FIELDS.double('asked_at', NEVER, NEVER_OR_INSTANT)   # when the last read was sent to it
SERVICE_TIME = FIELDS.double('service_time', 0.0, AMOUNT)   # of the last DeviceReport, 0: none yet
REPORTED_AT = FIELDS.double('reported_at', 0.0, INSTANT)    # when that came
OTHERS = FIELDS.double('others', 0.0, AMOUNT)       # requests of other proxies, in the mean
SURPLUS = FIELDS.double('surplus', 0.0, SIGNED)     # how many more there were at the last report
FURTHER_SECONDS = FIELDS.double('further_seconds', 0.0, AMOUNT)     # of a chunk after the first
FURTHER_WEIGHT = FIELDS.double('further_weight', 0.0, AMOUNT)       # reads on which that rests
FURTHER_AT = FIELDS.double('further_at', 0.0, AMOUNT)   # later than any INSTANT: bodies last long
PACE_WORDS = len(FIELDS)
RECENT = FIELDS.double('recent', 0.0, AMOUNT)
REPORTED = FIELDS.double('reported', 0.0, AMOUNT)   # reports on which `others` rests
FAILURES = FIELDS.double('failures', 0.0, AMOUNT)
BLANK = FIELDS.defaults

# The words of a FleetPace. The third is HedgeBudget's, where both are shared.
TYPICAL, ACCOUNT, _HEDGES, FURTHER, FLEET_REPORTED_AT = range(5)


class DevicePace(namedtuple('_DevicePace', FIELDS.names[:PACE_WORDS])):
    """One device's pace: its times for a request and for a chunk, and other proxies' requests.

    It is a copy of the first PACE_WORDS of FIELDS, where a comment explains each.
    """

    __slots__ = ()


UNKNOWN_PACE = DevicePace(*BLANK[:PACE_WORDS])


class Fleet(NamedTuple):
    """What a book knows of all its devices together, for the policy `adaptive`."""

    typical: float           # seconds of one request, the median; 0 before the first answer
    may_probe: bool          # whether the budget of probes has one left
    further: float           # chunks that follow the first of a read, in the mean
    reported_at: float       # when a node last reported: it has the filter; 0 before the first


class FleetPace:
    """Keep for one book the typical pace, the mean chunks of a read, and a budget of probes.

    The typical pace, seconds of a request, is the median of some fifty samples: each sample moves
    it by 2 % towards itself, so that it settles at the median, whatever the scale of the samples.
    """

    __slots__ = ('_words',)

    STEP = 1.02
    BUDGET = 0.005      # probes an order: half of a hundredth, so that they are not the p99
    IDLE = 2.0          # seconds without a read, after which the next read is a probe

    def __init__(self, words=None):
        """Keep five numbers, TYPICAL to FLEET_REPORTED_AT, in `words`, a new list if it is None."""
        self._words = [0.0] * 5 if words is None else words

    def add_sample(self, sample):
        """Move the typical pace 2 % towards `sample`, seconds a request; the first one sets it."""
        words = self._words
        seconds = words[TYPICAL]
        if not 0.0 < seconds < ABSURD:      # the first, or a damaged shared word
            words[TYPICAL] = sample
        elif sample > seconds:
            words[TYPICAL] = seconds * self.STEP
        else:
            words[TYPICAL] = seconds / self.STEP

    def ordered(self, asked_at, now):
        """Add 0.005 probes to the budget for an order; if it is a probe, spend the one saved.

        An order is a probe if its first device was last sent a read, at the instant `asked_at`,
        more than IDLE (2) seconds before `now`. At most one probe is saved.
        """
        account = self._words[ACCOUNT] + self.BUDGET
        if not self.BUDGET <= account < 1.0:
            spent = now - asked_at > self.IDLE or not 1.0 <= account < 2.0
            account = 0.0 if spent else 1.0
        self._words[ACCOUNT] = account

    def ended(self, further):
        """Take the length of a read that has ended: `further` chunks after the first one."""
        before = self._words[FURTHER]
        if not 0.0 <= before < ABSURD:
            before = 0.0
        if further != before:
            mean = before + (min(further, READS) - before) / READS
            self._words[FURTHER] = mean if mean >= MIN_MEAN else 0.0

    def reported(self, now):
        """Note that a node has sent a report at the instant `now`."""
        self._words[FLEET_REPORTED_AT] = now

    def view(self):
        """Return the numbers as a Fleet, 0 for those that damaged memory has made impossible."""
        words = self._words
        typical, account = words[TYPICAL], words[ACCOUNT]
        further, reported_at = words[FURTHER], words[FLEET_REPORTED_AT]
        return fast_tuple(Fleet, (typical if 0.0 < typical < ABSURD else 0.0, account >= 1.0,
                                  further if 0.0 <= further < ABSURD else 0.0,
                                  reported_at if 0.0 <= reported_at < ABSURD else 0.0))


class Pace(Evidence):
    """Keep one device's times for a request and for a chunk, and other proxies' requests on it.

    Where the words are shared, another process may write between any two lines, or forget the
    device: each method reads each word that it computes with once. Other processes can write any
    value: an impossible word counts as unknown where computing with it would fail or never end.
    """

    __slots__ = ('_common', '_probing', '_words')

    common = FleetPace

    def __init__(self, common, words=None):
        """`common` is the book's FleetPace; `words`, or a new list if None, is to keep FIELDS."""
        self._common, self._probing = common, False
        self._words = list(BLANK) if words is None else words

    def began(self, now, ahead):
        """Note a read sent behind `ahead` others; if 0, the device owes a first byte since now."""
        words = self._words
        self._probing = now - words[ASKED_AT] >= FleetPace.IDLE
        if not ahead:
            words[PROGRESS_AT] = now
        words[ASKED_AT] = now

    def answered(self, first_byte_time, ahead, now):
        """Take first_byte_time / (ahead + 1) as a sample of the device's time for one request."""
        words = self._words
        words[PROGRESS_AT] = now
        sample = first_byte_time / (ahead + 1)
        self._common.add_sample(sample)
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
        """Count a failure, a timeout or not; a repeated one is a sample of FAILURE (5) seconds."""
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
        recent += (sample - recent) * max(LEAST_SHARE, 1.0 / weight)
        if weight > RECENT_SAMPLES and not seconds / FASTER < recent < seconds * SLOWER:
            seconds, weight = recent, RECENT_SAMPLES
        words[SECONDS], words[RECENT], words[WEIGHT], words[AT] = seconds, recent, weight, now

    def refused(self, now):
        """Note an answer without a body: the device is not stalled."""
        self._words[PROGRESS_AT] = now

    def reported(self, report, ours, now):
        """Keep a DeviceReport's service_time; average its in_flight less `ours`, our own reads."""
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
        """Note the end of a read that waited `seconds` in all for `chunks` chunks after the first.

        The quotient of the two is a sample of the device's time for a chunk.
        """
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
        """Note for the budget of probes that an order has put the device first."""
        self._common.ordered(self._words[ASKED_AT], now)

    def view(self):
        """Return what is known of the device now, as a DevicePace."""
        return fast_tuple(DevicePace, self._words[:PACE_WORDS])
