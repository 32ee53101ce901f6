"""The progress of an evaluation: current run, completed runs, estimated time left."""
from swift_lb.clock import monotonic
from swift_lb.evaluation.design import length
from swift_lb.experiment.progress import ProgressLine


class EvaluationProgress(ProgressLine):
    """A line on the terminal: current run, number of failed runs, estimated time left."""

    def __init__(self, console, plan, steps, todo):
        """Take all `steps` of the plan, and `todo`: the steps that still have to be run."""
        self._expected = length(plan, todo)
        super().__init__(console, self._expected)
        self._plan, self._all = plan, len(steps)
        self._left, self._began = list(todo), monotonic()
        self._faults = 0

    def begin(self, step, number):
        """Show that the run of `step` begins; `number` is its place among all steps, from 1."""
        text = f'{number}/{self._all} {label_of(step)}'
        if self._faults:
            text += f' ({self._faults} failed)'
        left = length(self._plan, self._left)
        done = self._expected - left
        stretch = (monotonic() - self._began) / done if done > 60 else 1.0  # actual to estimated
        self.show(text, done, left * stretch)

    def end(self, run):
        """Count the run with the EvaluationRun `run` as done; print why it failed, if it did."""
        if run.step in self._left:
            self._left.remove(run.step)
        if run.fault:
            self._faults += 1
            self.print(f'no figures for {label_of(run.step)}: {run.fault}')


def label_of(step):
    """Return a step as text: `lb_rlt, 4KB, 32 workers, repeat 1`."""
    what = f'node {step.node} alone' if step.node else step.policy
    return f'{what}, {step.size}, {step.workers} workers, repeat {step.repeat}'
