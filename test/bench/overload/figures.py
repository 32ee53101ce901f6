"""The figures of phases, and their table."""
from itertools import pairwise
from typing import NamedTuple

from bench.dispatchers.figures import medians, quantile
from bench.overload.phases import HAMMER, OVERLOAD, PEAK

BIN = 5.0               # seconds


class PhaseFigures(NamedTuple):
    """The figures of one balancer in a phase; the first four are of the phase's second half."""

    goodput: float      # answers a second, within the client's timeout
    refused: float      # a second
    p50: float          # seconds, of what was answered
    p99: float
    step: float         # the largest rise of the share that is refused, from second to second
    given_up: int       # requests, of all
    last: float         # seconds until the last that was refused, 0 if none was
    course: tuple       # goodput in each BIN seconds
    shares: tuple       # of the requests that came in each second, that is refused


def figures(seen, phase):
    half, until = phase.half, phase.seconds
    times = sorted(ended - due for due, ended in seen.answers if half <= ended < until)
    shares = shares_of(seen, until)
    return PhaseFigures(
        len(times) / (until - half),
        sum(half <= ended < until for _due, ended in seen.refused) / (until - half),
        quantile(times, .5), quantile(times, .99),
        max((after - before for before, after in pairwise(shares)), default=0.0),
        len(seen.failures) - len(seen.refused), max((at for _due, at in seen.refused), default=0.0),
        tuple(rate / BIN for rate in counted(seen.answers, 1, until, BIN)), tuple(shares))


def counted(instants, which, until, width):
    """Return [number of `instants`, (due, end), in each whole `width` seconds before `until`].

    `which` is the time that counts: 0, when a request was due, or 1, when it ended."""
    result = [0] * int(until / width)
    for each in instants:
        if (number := int(each[which] / width)) < len(result):
            result[number] += 1
    return result


def shares_of(seen, until):
    """Return, of the requests due in each second before `until`, the fraction that was refused."""
    refused = counted(seen.refused, 0, until, 1.0)
    came = counted(seen.answers + seen.failures, 0, until, 1.0)
    return [one / max(1, of) for one, of in zip(refused, came, strict=True)]


HEAD = (f'{"":28}{"goodput/s":>10}{"of peak":>9}{"refused/s":>11}{"p50, s":>8}{"p99, s":>8}'
        f'{"given up":>10}{"step":>7}{"last, s":>9}   goodput/s in each {BIN:.0f} s')


def table(result):
    """Return the table, as lines, of {balancer's name: {phase's name: [PhaseFigures a block]}}."""
    lines = [HEAD]
    for name, by_phase in medians(result).items():
        peak = by_phase[PEAK].goodput if PEAK in by_phase else 0.0
        lines += [name, *(line(phase, one, peak) for phase, one in by_phase.items())]
    return lines


def line(phase, one, peak):
    """Return the table's row of a phase's PhaseFigures; `peak` is the goodput of the phase peak."""
    part = f'{one.goodput / peak:9.2f}' if peak and phase in (OVERLOAD, HAMMER) else f'{"":9}'
    course = ' '.join(f'{rate:.0f}' for rate in one.course)
    return (f'  {phase:26}{one.goodput:10.1f}{part}{one.refused:11.1f}{one.p50:8.2f}{one.p99:8.2f}'
            f'{one.given_up:10.0f}{one.step:7.2f}{one.last:9.1f}   {course}')
