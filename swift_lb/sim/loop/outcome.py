"""What a closed loop comes to, from its Record. Pure."""
import math
from dataclasses import dataclass

from swift_lb.sim.measures import rank

WINDOW = 10         # seconds of which shares of what is served are reckoned
TURN = 0.02         # a share that goes back by less has not turned


@dataclass(frozen=True)
class Outcome:
    """The figures of one run; times in seconds, shares in fractions.

    Ranges and turns are of the settled parts, all else of what comes after the first warm-up. Lines
    are {name: ((instant, share), ...)}.
    """

    told_range: float       # of one node's share of new clients: the most less the least
    served_range: float     # of its share of what is served, in windows of 10 s
    turns: float            # how often, in ten minutes, the share of new clients went back
    mean: float
    p99: float
    throughput: float       # answers per second
    delegated: float        # fraction of them
    told: dict              # {name: mean share of new clients in the last settled part}
    served: dict            # {name: mean share of what was served there}
    told_lines: dict
    served_lines: dict


def outcome(record):
    """Return the Outcome of a Record."""
    setting, spans = record.setting, record.setting.spans()
    told, served = record.told_lines(), record.served_lines(WINDOW)
    kept = [place for place, at in enumerate(record.ended_at) if at >= setting.warm_up]
    times = sorted(record.response_times[place] for place in kept)
    return Outcome(
        told_range=widest(told, spans), served_range=widest(served, spans),
        turns=max(turned(within(line, begin, end)) * 600 / (end - begin)
                  for line in told.values() for begin, end in spans),
        mean=math.fsum(times) / len(times), p99=rank(times, 0.99),
        throughput=len(times) / (setting.seconds - setting.warm_up),
        delegated=sum(record.delegated[place] for place in kept) / len(kept),
        told=means(told, *spans[-1]), served=means(served, *spans[-1]),
        told_lines=told, served_lines=served)


def within(line, begin, end):
    """Return the values of ((instant, value), ...) after `begin` until `end`."""
    return [value for at, value in line if begin < at <= end]


def widest(lines, spans):
    """Return the most by which a line's values differ within one of `spans`."""
    return max(max(values) - min(values) for line in lines.values() for span in spans
               if (values := within(line, *span)))


def means(lines, begin, end):
    """Return {name: mean of the values between two instants}."""
    return {name: math.fsum(values) / len(values) for name, line in lines.items()
            if (values := within(line, begin, end))}


def turned(values):
    """Return how often `values` go back by TURN and more."""
    turns, extreme, rising = 0, values[0], None
    for value in values:
        if rising is None:
            if abs(value - extreme) >= TURN:
                rising, extreme = value > extreme, value
        elif value > extreme if rising else value < extreme:
            extreme = value
        elif abs(value - extreme) >= TURN:
            turns, rising, extreme = turns + 1, not rising, value
    return turns
