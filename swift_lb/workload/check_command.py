"""The command `swift-lb bench check FILE`: it prints a workload file's faults, or what it does."""
import sys

from swift_lb.drawing.numbers import clock_time, plural
from swift_lb.drawing.text import printable
from swift_lb.errors import ConfigError


def add_arguments(parser):
    """Add the arguments of `swift-lb bench check` to an argparse parser."""
    parser.add_argument('file', metavar='FILE', help="a COSBench workload file; '-' reads it from "
                                                     'the standard input')


def run(args):
    """Print the file's faults and warnings or, without faults, a summary of what it would do.

    Return 0 without faults, else 1. Faults and warnings go to the standard error, the summary to
    the standard output. Raises ConfigError if the file cannot be read.
    """
    workload, faults, warnings = examined(args.file)
    for sentence in (*located(args.file, 'error', faults),
                     *located(args.file, 'warning', warnings)):
        print(sentence, file=sys.stderr)
    if faults:
        return 1
    print('\n'.join(map(printable, summary(workload))))
    return 0


def summary(workload):
    """Return lines that describe what a Workload would do, stage by stage."""
    lines = [f'{workload.name}: {plural(len(workload.stages), "stage")}']
    for stage in workload.stages:
        lines.append(stage.id)
        for work in stage.works:
            lines.append(f'  {describe(work)}')
            for operation in work.operations:
                divided = work.type == 'normal' and operation.division != 'none'
                lines.append(f'    {operation.ratio:3d} % {operation.name}: {operation.config}'
                             + f', {operation.division}s divided' * divided)
        if stage.closuredelay:
            lines.append(f'  then a pause of {stage.closuredelay} s')
    return [*lines, planned(workload)]


def describe(work):
    """Return one line about a Work: its workers, duration, limits, auth and storage."""
    facts = [plural(work.workers, 'worker')]
    if work.runtime:
        facts.append(f'{work.runtime} s')
    if work.rampup or work.rampdown:
        facts.append(f'{work.rampup} s before and {work.rampdown} s after that are not measured')
    if work.type == 'normal' and work.total_ops:
        facts.append(f'at most {plural(work.total_ops, "operation")}')
    if work.total_bytes:
        facts.append(f'at most {plural(work.total_bytes, "byte")}')
    if work.rate:
        facts.append(f'{work.rate:,.10g} operations begun per second')
    facts.append(f'auth {work.auth.type}, storage {work.storage.type}')
    return f'{work.name}: {", ".join(facts)}'


def planned(workload):
    """Return a line about the planned duration of a Workload, as far as its file fixes it."""
    seconds, open_ended = 0, 0
    for stage in workload.stages:
        seconds += stage.closuredelay + max(
            work.rampup + work.runtime + work.rampdown for work in stage.works)
        open_ended += any(not work.runtime for work in stage.works)
    times = [clock_time(seconds)] if seconds or not open_ended else []
    if open_ended:
        times.append(f'as long as {plural(open_ended, "stage")} without a runtime will take')
    return f'planned time: {" and ".join(times)}'


STANDARD_INPUT = '-'


def examined(path):
    """Return (Workload or None, faults, warnings) of the workload file at `path`.

    The path `-` is the standard input. Files of a filewrite that are missing on this machine are
    faults too. Reads at most a byte more than a workload file may have. Raises ConfigError if the
    file cannot be read.
    """
    # These need packages of the extra `bench`; the help of this command does not.
    from swift_lb.wire.cosbench.elements import MAX_FILE
    from swift_lb.wire.cosbench.read import examine
    from swift_lb.workload.operators import folder_fault
    try:
        if path == STANDARD_INPUT:
            if sys.stdin is None:
                raise ValueError('it is closed')
            data = sys.stdin.buffer.read(MAX_FILE + 1)
        else:
            with open(path, 'rb') as file:
                data = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as err:   # ValueError: a NUL in the path
        reason = getattr(err, 'strerror', None) or err
        raise ConfigError([f'{name_of(path)}: can not be read: {reason}']) from err
    return examine(data, folder_fault)


def name_of(path):
    """Return the file's name for messages: its `path`, or `standard input` for `-`."""
    return 'standard input' if path == STANDARD_INPUT else printable(path)


def located(path, kind, sentences):
    """Return sentences `line N: TEXT` about the file at `path` as `PATH:N: KIND: TEXT`."""
    split = [sentence.removeprefix('line ').partition(': ') for sentence in sentences]
    return [f'{name_of(path)}:{line}: {kind}: {rest}' for line, _colon, rest in split]
