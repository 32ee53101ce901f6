"""The progress of a comparison: completed runs and estimated time left."""
from swift_lb.clock import monotonic
from swift_lb.drawing.progress_line import ProgressLine

EVERY = 10.0    # seconds between two lines, when the output is not a terminal


class ComparisonProgress(ProgressLine):
    """The display of a comparison's progress."""

    def __init__(self, console, runs, now=monotonic):
        """Take the number of `runs`."""
        super().__init__(console, runs, EVERY, now)
        self._runs, self._done, self._began = runs, 0, now()

    def ended(self, step):
        """Note that the run of `step` has ended."""
        self._done += 1
        each = (self._now() - self._began) / self._done
        self.show(f'{self._done}/{self._runs} {step.scenario}, {step.policy}, seed {step.seed}',
                  self._done, each * (self._runs - self._done))
