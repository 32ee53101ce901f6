"""The terminal: keys read one by one, a screen of its own, and all put back in the end."""
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
    """Return whether `stream` is a terminal that can move its cursor."""
    return stream.isatty() and os.environ.get('TERM') not in (None, '', 'dumb', 'unknown')


def plain_console(stream=None):
    """Return a Console that writes lines as long as they are, without control characters."""
    return Console(file=stream or sys.stdout, force_terminal=False, color_system=None,
                   width=100_000, highlight=False, markup=False, legacy_windows=False)


def print_plain(renderable):
    """Print `renderable` to standard output, without blanks at the ends of its lines."""
    console = plain_console()
    with console.capture() as capture:
        console.print(renderable)
    for line in capture.get().splitlines():
        print(line.rstrip())
    sys.stdout.flush()


@contextlib.contextmanager
def until_nobody_reads():
    """End the context quietly when standard output is a pipe that has been closed: `| head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # what is left in the buffer has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Keys:
    """Keys as they are pressed, while the context lasts; none if standard input is no terminal."""

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
        """Return what is typed within `seconds`, or ''; 'q' when the terminal has gone."""
        if self._fd is None:
            clock.sleep(seconds)
            return ''
        if not select.select([self._fd], [], [], seconds)[0]:
            return ''
        return os.read(self._fd, 64).decode(errors='replace') or 'q'


@contextlib.contextmanager
def full_screen():
    """Give (Console, Live, Keys) of the terminal; SIGTERM, too, puts it back."""
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
