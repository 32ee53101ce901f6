"""Seconds per pixel of what workers do, by which the seconds of a job are predicted.

    rate = sum(KEEP^n x seconds) / sum(KEEP^n x pixels)     n: jobs since

Small jobs, most of whose time does not depend on their pixels, weigh little.
"""
from swift_lb.wire.image_job import COEFFICIENTS

KEEP = 0.9
PRIOR = 1 << 20     # pixels by which a default weighs before there are jobs
# Seconds per pixel: `decode` of a decoded pixel, the others of a pixel of the result; by
# test/bench/chains decoding.
DEFAULTS = {'decode': 8e-8, 'png': 2.4e-8, 'raw': 1e-9, COEFFICIENTS: 1.2e-8}


class WorkRates:
    """Measures seconds per pixel of each kind of work, one of DEFAULTS."""

    def __init__(self):
        self._sums = {kind: (rate * PRIOR, PRIOR) for kind, rate in DEFAULTS.items()}

    def note(self, kind, seconds, pixels):
        """Learn that `pixels` pixels took `seconds`; a kind that is not in DEFAULTS is left out."""
        if kind in self._sums and pixels > 0:
            before_seconds, before_pixels = self._sums[kind]
            self._sums[kind] = KEEP * before_seconds + seconds, KEEP * before_pixels + pixels

    def of(self, kind):
        """Return seconds per pixel of a kind of work, 0 for a kind that is not measured."""
        seconds, pixels = self._sums.get(kind, (0.0, 1))
        return seconds / pixels

    def document(self):
        """Return {kind: seconds per pixel}."""
        return {kind: self.of(kind) for kind in self._sums}
