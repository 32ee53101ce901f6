"""What is seen of an evaluation while it runs: which run, how many, how long still."""
from rich.progress import BarColumn, Progress, TextColumn

from swift_lb.clock import monotonic
from swift_lb.drawing.numbers import duration
from swift_lb.evaluation.design import length


class Shown:
    """A line that moves on a terminal, or a line for each run where there is none."""

    def __init__(self, console, plan, steps, todo):
        """Take all `steps` of the plan, and those still `todo`."""
        self._console, self._plan, self._all = console, plan, len(steps)
        self._left, self._began = list(todo), monotonic()
        self._expected = length(plan, todo)
        self._faults = 0
        self._progress = Progress(
            TextColumn('{task.description}'), BarColumn(bar_width=24),
            TextColumn('{task.fields[left]}'), console=console, transient=True)
        self._task = self._progress.add_task('starting', total=self._expected, left='')

    def __enter__(self):
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_exc):
        if self._console.is_terminal:
            self._progress.stop()

    def begin(self, step, number):
        """Say that `step`, the `number`th of all, begins."""
        text = f'{number}/{self._all} {said(step)}'
        if self._faults:
            text += f' ({self._faults} failed)'
        if self._console.is_terminal:
            self._progress.update(self._task, description=text, left=self._remaining())
        else:
            self._console.print(f'{text}: {self._remaining()}', soft_wrap=True, highlight=False)

    def end(self, cell):
        """Say that a run has ended; a fault stays to be seen."""
        if cell.step in self._left:
            self._left.remove(cell.step)
        self._progress.update(self._task,
                              completed=self._expected - length(self._plan, self._left))
        if cell.fault:
            self._faults += 1
            self._console.print(f'no figures for {said(cell.step)}: {cell.fault}', soft_wrap=True,
                                highlight=False)

    def _remaining(self):
        """What is left as estimated, stretched by what the runs took so far."""
        left = length(self._plan, self._left)
        done = self._expected - left
        stretch = (monotonic() - self._began) / done if done > 60 else 1.0
        return f'{duration(left * stretch)} left'


def said(step):
    """Return what a step is, in a few words."""
    what = f'node {step.node} alone' if step.node else step.policy
    return f'{what}, {step.size}, {step.workers} workers, repeat {step.repeat}'
