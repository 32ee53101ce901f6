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
    FEW = 0.001     chunks: so few are none, and nobody has to reckon with them
"""
import math
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

TAU = 10.0
FAILURE = 5.0
RECENT = 5.0      # samples; a moving average of 1/5 is known as well as the mean of nine
SLOWER, FASTER = 2.3, 3.0
REPORTS = 20.0
AGAIN = 1.5
PROBED = 2.0
READS = 256
FEW = 0.001


def faded(at, now):
    """Return what is left of a weight since the instant `at`: at most all of it."""
    return math.exp((at - now) / TAU) if at < now else 1.0


class DevicePace(NamedTuple):
    """What is known of one device; instants are None before the first."""

    seconds: float | None           # of one request, None before the first sample
    weight: float                   # samples it rested on at the instant `at`: see faded()
    at: float
    progress_at: float              # since when it has owed us a first byte and given none
    asked_at: float | None          # when the last read was sent to it
    report: tuple | None            # the node's last DeviceReport
    reported_at: float
    others: float                   # requests of others there, in the mean
    surplus: float                  # by how many there were more than that at the last report
    further_seconds: float | None   # of a chunk after the first, None before there was one
    further_weight: float           # the reads that rests on at `further_at`
    further_at: float


class TypicalPace:
    """Keep the median of all samples of a book, over some fifty: expected where nothing is known.

    A step of 2 % up or down with each sample; as many are greater as are less where it comes to
    rest, and no scale has to be known.
    """

    __slots__ = ('seconds',)

    STEP = 1.02

    def __init__(self):
        self.seconds = None

    def add(self, sample):
        """Take a sample."""
        seconds = self.seconds
        if seconds is None:
            self.seconds = sample
        elif sample > seconds:
            self.seconds = seconds * self.STEP
        else:
            self.seconds = seconds / self.STEP


class Fleet(NamedTuple):
    """What is known of all devices of a book together."""

    typical: float | None    # seconds of one request, the median; None before the first answer
    may_probe: bool          # whether the account of probes has one left
    further: float           # chunks that follow the first of a read, in the mean
    reported_at: float       # when a node last reported: they have the filter; 0 before the first


class FleetPace:
    """What the devices of a book have in common: typical pace and size, an account of probes."""

    __slots__ = ('_account', '_further', 'reported_at', 'typical')

    BUDGET = 0.005      # probes an order: half of a hundredth, for they are not to be the p99
    IDLE = 2.0          # seconds unasked, after which an order of a device is a probe

    def __init__(self):
        self.typical = TypicalPace()
        self._account = self._further = self.reported_at = 0.0

    def order(self, asked_at, now):
        """Account for an order whose first was last asked at `asked_at`."""
        account = min(1.0, self._account + self.BUDGET)
        if account >= 1.0 and asked_at is not None and now - asked_at > self.IDLE:
            account = 0.0
        self._account = account

    def ended(self, further):
        """Note that `further` chunks of a read have followed its first."""
        if further != self._further:
            mean = self._further + (min(further, READS) - self._further) / READS
            self._further = mean if mean >= FEW else 0.0

    def view(self):
        """Return the Fleet."""
        return Fleet(self.typical.seconds, self._account >= 1.0, self._further, self.reported_at)


class Pace(Evidence):
    """Keep the pace of one device.

    What an act reckons with is read once: where it is shared (shared_pace.py), another process may
    write between any two lines, or forget the device.
    """

    __slots__ = ('_asked_at', '_at', '_common', '_failures', '_further_at', '_further_seconds',
                 '_further_weight', '_others', '_probing', '_progress_at', '_recent',
                 '_report', '_reported_at', '_reports', '_seconds', '_surplus', '_view', '_weight')

    common = FleetPace

    def __init__(self, common):
        self._common = common
        self._seconds = self._asked_at = self._report = self._view = self._further_seconds = None
        self._at = self._weight = self._recent = self._progress_at = self._reported_at = 0.0
        self._others = self._surplus = self._failures = 0.0
        self._further_weight = self._further_at = 0.0
        self._probing = False
        self._reports = 0.0

    def began(self, now, ahead):
        """Count a read; the first of a queue is waited for from now on."""
        asked_at = self._asked_at
        self._probing = asked_at is not None and now - asked_at >= FleetPace.IDLE
        if not ahead:
            self._progress_at = now
        self._asked_at = now
        self._view = None

    def answered(self, first_byte_time, ahead, now):
        """Take a sample."""
        self._progress_at = now
        sample = first_byte_time / (ahead + 1)
        self._common.typical.add(sample)
        if self._failures:
            self._failures *= 0.5
        seconds = self._seconds
        if self._probing and seconds is not None:
            self._weight = min(self._weight, PROBED)
            if sample * FASTER < seconds:
                self._asked_at = now - FleetPace.IDLE
        self._learn(sample, now)

    def failed(self, timed_out):
        """Take a failure as a sample, though none of what devices typically take."""
        asked_at = self._asked_at
        if asked_at is None:        # another process has just forgotten the device
            return
        self._failures += 1.0
        if self._failures >= AGAIN:
            self._learn(FAILURE, max(asked_at, self._at))

    def _learn(self, sample, now):
        seconds, recent = self._seconds, self._recent
        weight = self._weight * faded(self._at, now) + 1.0
        if seconds is None:
            seconds = recent = sample
        else:
            seconds += (sample - seconds) / weight
            recent += (sample - recent) * max(1.0 / RECENT, 1.0 / weight)
            if weight > RECENT and not seconds / FASTER < recent < seconds * SLOWER:
                seconds, weight = recent, RECENT
        self._seconds, self._recent, self._view = seconds, recent, None
        self._weight, self._at = weight, now

    def refused(self, now):
        """Note that it does answer."""
        self._progress_at, self._view = now, None

    def reported(self, report, ours, now):
        """Take what the node says."""
        self._common.reported_at = now
        others = max(0, report.in_flight - ours)
        reports = min(REPORTS, self._reports * faded(self._reported_at, now) + 1.0)
        mean = self._others
        mean += (others - mean) / reports
        self._reports, self._others, self._surplus = reports, mean, others - mean
        self._report, self._reported_at, self._view = report, now, None

    def streamed(self, chunks, seconds, now):
        """Take what came after the first chunk as a sample."""
        self._common.ended(chunks)
        if not chunks:
            return
        weight = self._further_weight * faded(self._further_at, now) + 1.0
        mean = self._further_seconds or 0.0
        self._further_seconds = mean + (seconds / chunks - mean) / weight
        self._further_weight, self._further_at, self._view = weight, now, None

    def view(self):
        """Return the DevicePace."""
        if self._view is None:
            self._view = DevicePace(
                self._seconds, self._weight, self._at, self._progress_at, self._asked_at,
                self._report, self._reported_at, self._others, self._surplus,
                self._further_seconds, self._further_weight, self._further_at)
        return self._view

    @staticmethod
    def ordered(candidates, now):
        """Pay into the account of probes, and out of it what this order has spent."""
        candidates[0]._common.order(candidates[0]._asked_at, now)
        return False
