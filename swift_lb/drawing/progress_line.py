"""How far something long has come, and how long still: a bar that moves, or lines of a log."""
from rich.progress import BarColumn, Progress, TextColumn

from swift_lb.clock import monotonic
from swift_lb.drawing.numbers import duration


class ProgressLine:
    """A line that moves on a terminal; where there is none, lines that are printed.

    A context manager: the line is there while it lasts.
    """

    def __init__(self, console, total, every=0.0, now=monotonic):
        """Take what is done in the end, and the seconds between two printed lines, at least."""
        self._console, self._every, self._now = console, every, now
        self._said = now()
        self._progress = Progress(     # no markup: there are names of files and errors in it
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
        """Show `text`, that so much is done, and that it takes so many `seconds` still."""
        left = f'{duration(seconds)} left'
        if self._console.is_terminal:
            self._progress.update(self._task, completed=done, description=text, left=left)
        elif self._now() - self._said >= self._every:
            self._said = self._now()
            self.say(f'{text}: {left}')

    def say(self, text):
        """Print `text`, which stays to be seen."""
        self._console.print(text, soft_wrap=True, highlight=False, markup=False)
