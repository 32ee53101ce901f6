"""The progress of a long command: a moving bar on a terminal, else lines."""
from rich.progress import BarColumn, Progress, TextColumn

from swift_lb.clock import monotonic
from swift_lb.drawing.numbers import duration


class ProgressLine:
    """A context manager that shows progress: a bar on a terminal, else a line now and then."""

    def __init__(self, console, total, every=0.0, now=monotonic):
        """Take the total amount of work and the least seconds between printed lines, `every`."""
        self._console, self._every, self._now = console, every, now
        self._printed = now()
        self._progress = Progress(     # without markup: it shows names of files and errors
            TextColumn('{task.description}', markup=False), BarColumn(bar_width=24),
            TextColumn('{task.fields[left]}'), console=console, transient=True)
        self._task = self._progress.add_task('starting', total=total, left='')

    def __enter__(self):
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_exc):
        if self._console.is_terminal:
            self._progress.stop()

    def show(self, text, done, seconds):
        """Show `text`, the amount of work `done`, and the `seconds` that are probably left."""
        left = f'{duration(seconds)} left'
        if self._console.is_terminal:
            self._progress.update(self._task, completed=done, description=text, left=left)
        elif self._now() - self._printed >= self._every:
            self._printed = self._now()
            self.print(f'{text}: {left}')

    def print(self, text):
        """Print `text` as a line of its own, above the bar."""
        self._console.print(text, soft_wrap=True, highlight=False, markup=False)
