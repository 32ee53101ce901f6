"""The progress line: redrawn on a terminal, printed elsewhere."""
import io

import pytest
from rich.console import Console

from swift_lb.experiment.progress import ProgressLine


def console(terminal):
    """Return a rich Console that writes to memory, as to a terminal or not."""
    return Console(file=io.StringIO(), force_terminal=terminal, width=120)


def written(shown):
    """Return the text that was written to the Console `shown`."""
    return shown.file.getvalue()


def test_without_a_terminal_each_step_prints_a_progress_line():
    pipe = console(False)
    with ProgressLine(pipe, 4) as line:
        line.show('1/4 a', 1, 90.0)
        line.show('2/4 b', 2, 60.0)
    assert '1/4 a: 1 min 30 s left\n2/4 b: 1 min 00 s left\n' == written(pipe)


def test_progress_lines_in_a_log_are_at_least_10_seconds_apart():
    pipe, at = console(False), [0.0]
    with ProgressLine(pipe, 4, every=10.0, now=lambda: at[0]) as line:
        for at[0] in (5.0, 10.0, 19.0, 20.0, 25.0):
            line.show(f'at {at[0]:.0f}', 0, 0)
    assert 'at 10: 0 s left\nat 20: 0 s left\n' == written(pipe)


def test_a_terminals_progress_line_is_redrawn_and_then_erased():
    terminal = console(True)
    with ProgressLine(terminal, 4) as line:
        line.show('1/4 a', 1, 90.0)
        line.print('something happened')
    text = written(terminal)
    assert '1/4 a ' in text
    assert '1 min 30 s left' in text
    assert 'something happened\n' in text
    assert 'a: 1 min 30 s left' not in text        # no line of a log
    assert text.endswith('\x1b[1A\x1b[2K')         # the cursor is where it was, the line erased


@pytest.mark.parametrize('terminal', [True, False])
def test_markup_in_names_and_errors_is_printed_literally(terminal):
    shown = console(terminal)
    with ProgressLine(shown, 1) as line:
        line.show('reads [/of] a.conf', 0, 1.0)
        line.print('[red]: no such file')
    assert 'reads [/of] a.conf' in written(shown)
    assert '[red]: no such file' in written(shown)
