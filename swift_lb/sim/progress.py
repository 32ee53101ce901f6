"""What is seen of a comparison while it runs: how many runs, how long still."""
from rich.progress import BarColumn, Progress, TextColumn

from swift_lb.clock import monotonic
from swift_lb.drawing.numbers import duration

EVERY = 10.0    # seconds between two lines, where there is no terminal


class Shown:
    """A line that moves on a terminal, or one now and then where there is none."""

    def __init__(self, console, runs):
        """`runs` are to be made."""
        self._console, self._runs, self._done = console, runs, 0
        self._began = self._said = monotonic()
        self._progress = Progress(
            TextColumn('{task.description}'), BarColumn(bar_width=24),
            TextColumn('{task.fields[left]}'), console=console, transient=True)
        self._task = self._progress.add_task('starting', total=runs, left='')

    def __enter__(self):
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_exc):
        if self._console.is_terminal:
            self._progress.stop()

    def ended(self, step):
        """Say that the run of `step` has ended."""
        self._done += 1
        now = monotonic()
        text = f'{self._done}/{self._runs} {step.scenario}, {step.policy}, seed {step.seed}'
        each = (now - self._began) / self._done
        left = f'{duration(each * (self._runs - self._done))} left'
        if self._console.is_terminal:
            self._progress.update(self._task, completed=self._done, description=text, left=left)
        elif now - self._said >= EVERY:
            self._said = now
            self._console.print(f'{text}: {left}', soft_wrap=True, highlight=False)
