"""What is seen of an evaluation while it runs: which run, how many, how long still."""
from swift_lb.clock import monotonic
from swift_lb.drawing.progress_line import ProgressLine
from swift_lb.evaluation.design import length


class Shown(ProgressLine):
    """The line of an evaluation."""

    def __init__(self, console, plan, steps, todo):
        """Take all `steps` of the plan, and those still `todo`."""
        self._expected = length(plan, todo)
        super().__init__(console, self._expected)
        self._plan, self._all = plan, len(steps)
        self._left, self._began = list(todo), monotonic()
        self._faults = 0

    def begin(self, step, number):
        """Say that `step`, the `number`th of all, begins."""
        text = f'{number}/{self._all} {said(step)}'
        if self._faults:
            text += f' ({self._faults} failed)'
        left = length(self._plan, self._left)
        self.show(text, self._expected - left, left * self._stretch(self._expected - left))

    def end(self, cell):
        """Say that a run has ended; a fault stays to be seen."""
        if cell.step in self._left:
            self._left.remove(cell.step)
        if cell.fault:
            self._faults += 1
            self.say(f'no figures for {said(cell.step)}: {cell.fault}')

    def _stretch(self, done):
        """Return how much longer than estimated the runs took that are done."""
        return (monotonic() - self._began) / done if done > 60 else 1.0


def said(step):
    """Return what a step is, in a few words."""
    what = f'node {step.node} alone' if step.node else step.policy
    return f'{what}, {step.size}, {step.workers} workers, repeat {step.repeat}'
