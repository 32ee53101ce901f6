"""A moving average of first byte times that jumps up and comes down slowly: Peak-EWMA.

    decayed = seconds x w               w = e^(-(now - at) / TAU)
    seconds = sample                    where sample > decayed (the peak rule)
              decayed + sample x (1 - w)            elsewhere
    at      = now

    seconds   the estimate at the instant `at`; TAU seconds later 37 % of it is left
    sample    first_byte_time; for a read that failed, FAILURE

The estimate decays with time, in the sources as here, so a sample is compared with the decayed
estimate; and that of a node without reads comes down to 0, so that it is tried again.

    TAU = 10 s      the default of Finagle, of tower's example and of Linkerd
    FAILURE = 5 s   the penalty of Linkerd's penalty estimator. In plain Finagle and tower a failure
                    counts with the time it took, so a node that fails at once looks fast
                    (ingress-nginx 5540, 9882). A failure is dated at the node's last answer or
                    read sent, since the book does not date failures.

Source: Finagle, PeakEwma.scala; tower, load/peak_ewma.rs, which derives from it; linkerd2-proxy,
which like us takes the time to the first data (PendingUntilFirstData).
"""
import math
from typing import NamedTuple

from swift_lb.load.evidence import Evidence

TAU = 10.0      # seconds
FAILURE = 5.0   # seconds


class Peak(NamedTuple):
    """The Peak-EWMA of a node, in seconds, and the instant for which it was computed."""

    seconds: float
    at: float

    def decayed(self, now):
        """Return the seconds that are left of the estimate at the instant `now`."""
        return self.seconds * math.exp((self.at - now) / TAU)


class PeakTime(Evidence):
    """Keep the Peak-EWMA of one node's first byte times."""

    __slots__ = ('_last_at', '_peak')

    def __init__(self):
        self._peak, self._last_at = None, 0.0

    def began(self, now, ahead):
        """Keep the instant at which a read was sent: a failure of the read is dated then."""
        self._last_at = now

    def answered(self, first_byte_time, ahead, now):
        """Take first_byte_time, in seconds, as a sample; `ahead` is not used."""
        self._last_at = now
        self._observe(first_byte_time)

    def failed(self, timed_out):
        """Take FAILURE seconds as a sample, whether or not the failure is a timeout."""
        self._observe(FAILURE)

    def _observe(self, sample):
        now, seconds = self._last_at, sample
        if self._peak is not None:
            decayed = self._peak.decayed(now)
            if sample <= decayed:
                seconds = decayed + sample * (1.0 - math.exp((self._peak.at - now) / TAU))
        self._peak = Peak(seconds, now)

    def view(self):
        """Return the Peak, or None before the first answer."""
        return self._peak
