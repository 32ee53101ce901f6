"""What is seen of a comparison while it runs: how many runs, how long still."""
from swift_lb.clock import monotonic
from swift_lb.drawing.progress_line import ProgressLine

EVERY = 10.0    # seconds between two lines, where there is no terminal


class Shown(ProgressLine):
    """The line of a comparison."""

    def __init__(self, console, runs, now=monotonic):
        """`runs` are to be made."""
        super().__init__(console, runs, EVERY, now)
        self._runs, self._done, self._began = runs, 0, now()

    def ended(self, step):
        """Say that the run of `step` has ended."""
        self._done += 1
        each = (self._now() - self._began) / self._done
        self.show(f'{self._done}/{self._runs} {step.scenario}, {step.policy}, seed {step.seed}',
                  self._done, each * (self._runs - self._done))
