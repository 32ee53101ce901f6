"""Read a workload from a file or the standard input; report faults by file and line."""
import sys

from swift_lb.drawing.text import printable
from swift_lb.errors import ConfigError
from swift_lb.wire.cosbench.elements import MAX_FILE
from swift_lb.wire.cosbench.read import examine
from swift_lb.workload.operators import folder_fault

STANDARD_INPUT = '-'


def examined(path):
    """Return (Workload or None, faults, warnings) of the file at `path`, for a run on this machine.

    Raises ConfigError if there is nothing to read.
    """
    return examine(source(path), folder_fault)


def source(path):
    """Return the bytes at `path`, `-` for the standard input; a little more than the limit at most.

    Raises ConfigError if there is nothing to read.
    """
    try:
        if path == STANDARD_INPUT:
            if sys.stdin is None:
                raise ValueError('it is closed')
            return sys.stdin.buffer.read(MAX_FILE + 1)
        with open(path, 'rb') as file:
            return file.read(MAX_FILE + 1)
    except (OSError, ValueError) as err:   # ValueError: a NUL in the path
        reason = getattr(err, 'strerror', None) or err
        raise ConfigError([f'{name_of(path)}: can not be read: {reason}']) from err


def name_of(path):
    """Return the name of the file at `path` for messages."""
    return 'standard input' if path == STANDARD_INPUT else printable(path)


def located(path, kind, sentences):
    """Return sentences that begin with `line N: ` as `PATH:N: KIND: ...`."""
    lines = []
    for sentence in sentences:
        line, _colon, rest = sentence.removeprefix('line ').partition(': ')
        lines.append(f'{name_of(path)}:{line}: {kind}: {rest}')
    return lines
