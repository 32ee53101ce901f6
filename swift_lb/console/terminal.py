"""The terminal: read single keys, draw on the alternate screen, and restore it at the end."""
import contextlib
import os
import select
import signal
import sys
import termios
import tty

from rich.console import Console
from rich.live import Live

from swift_lb import clock


def is_terminal(stream):
    """Return whether `stream` is a terminal whose cursor can be moved."""
    return stream.isatty() and os.environ.get('TERM') not in (None, '', 'dumb', 'unknown')


def print_plain(renderable):
    """Print `renderable` without control characters, wrapped lines and trailing blanks."""
    console = Console(force_terminal=False, color_system=None, width=100_000, highlight=False,
                      markup=False, legacy_windows=False)
    with console.capture() as capture:
        console.print(renderable)
    for line in capture.get().splitlines():
        print(line.rstrip())
    sys.stdout.flush()


@contextlib.contextmanager
def until_stdout_closes():
    """A context that ends quietly when the reader of stdout closes the pipe, as `| head` does."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the rest of the buffer cannot be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Keys:
    """A context in which single keys are read from the terminal; none if stdin is no terminal."""

    def __enter__(self):
        self._fd = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
        if self._fd is not None:
            self._mode = termios.tcgetattr(self._fd)
            tty.setcbreak(self._fd)
        return self

    def __exit__(self, *_exc):
        if self._fd is not None:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._mode)

    def wait(self, seconds):
        """Return the keys typed within `seconds`, '' for none, 'q' if the terminal was closed."""
        if self._fd is None:
            clock.sleep(seconds)
            return ''
        if not select.select([self._fd], [], [], seconds)[0]:
            return ''
        return os.read(self._fd, 64).decode(errors='replace') or 'q'


@contextlib.contextmanager
def full_screen():
    """Yield (Console, Live, Keys) of the terminal; restore it at the end, also on SIGTERM."""
    def end(number, _frame):
        raise SystemExit(128 + number)
    before = signal.signal(signal.SIGTERM, end)
    console = Console(highlight=False, markup=False)
    try:
        with Keys() as keys, Live(console=console, screen=True, auto_refresh=False,
                                  vertical_overflow='crop') as live:
            yield console, live, keys
    finally:
        signal.signal(signal.SIGTERM, before)
