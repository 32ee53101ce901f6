"""The record of one simulated control loop, and the figures that are computed from it. Pure."""
import math
from array import array
from collections import Counter
from dataclasses import dataclass

from swift_lb.sim.measures import rank

WINDOW = 10         # seconds, of which shares of what is served are computed
MIN_TURN = 0.02     # a share that goes back by less has not turned


class LoopRecord:
    """What happened in one run of a control loop: each answer, and the shares of DNS over time."""

    def __init__(self, setting, names):
        """Take the Setting of the run, and the names of its nodes."""
        self.setting, self.names = setting, names
        self.ended_at, self.response_times = array('d'), array('d')
        self.delegated = array('b')
        self._shares = []               # (instant, shares of the new clients, by the first node)
        self._served = {}               # second -> Counter of names

    def record_answer(self, now, request):
        """Record that a Request was answered at the instant `now`."""
        self.ended_at.append(now)
        self.response_times.append(now - request.sent_at)
        self.delegated.append(request.delegated)
        self._served.setdefault(int(now), Counter())[request.served_by] += 1

    def answers(self, now, shares):
        """Record `shares`, {node: its share of the new clients}, by which DNS answers at `now`.

        Nodes that DNS leaves out are absent.
        """
        self._shares.append((now, shares))

    def dns_lines(self):
        """Return {node: ((instant, the share of new clients that DNS gives it then), ...)}."""
        return {name: tuple((now, shares.get(name, 0.0)) for now, shares in self._shares)
                for name in self.names}

    def served_lines(self, seconds):
        """Return {node: ((instant, its share of the requests served), ...)}.

        Each share is over the `seconds` before the instant.
        """
        sums = [(end, self._sum(end - seconds, end))
                for end in range(seconds, int(self.setting.seconds) + 1, seconds)]
        return {name: tuple((end, counts[name] / counts.total()) for end, counts in sums if counts)
                for name in self.names}

    def _sum(self, begin, end):
        counts = Counter()
        for second in range(begin, end):
            counts.update(self._served.get(second, {}))
        return counts


@dataclass(frozen=True)
class LoopOutcome:
    """The figures of one run; times in seconds, shares in fractions.

    Ranges and turns (changes of direction) of shares are taken in the settled parts of the run
    (Setting.spans); mean, p99, throughput and delegated exclude only the first warm-up. Lines
    are {name: ((instant, share), ...)} of the whole run.
    """

    dns_range: float        # of one node's share of new clients: the most less the least
    served_range: float     # of its share of what is served, in windows of 10 s
    turns: float            # how often, in ten minutes, the share of new clients went back
    mean: float
    p99: float
    throughput: float       # answers per second
    delegated: float        # fraction of them
    dns_shares: dict        # {name: mean share of new clients in the last settled part}
    served: dict            # {name: mean share of what was served there}
    dns_lines: dict
    served_lines: dict


def outcome(record):
    """Return the figures of a run, a LoopOutcome, from its LoopRecord."""
    setting, spans = record.setting, record.setting.spans()
    dns, served = record.dns_lines(), record.served_lines(WINDOW)
    kept = [place for place, at in enumerate(record.ended_at) if at >= setting.warm_up]
    times = sorted(record.response_times[place] for place in kept)
    return LoopOutcome(
        dns_range=widest(dns, spans), served_range=widest(served, spans),
        turns=max(turns(within(line, begin, end)) * 600 / (end - begin)
                  for line in dns.values() for begin, end in spans),
        mean=math.fsum(times) / len(times), p99=rank(times, 0.99),
        throughput=len(times) / (setting.seconds - setting.warm_up),
        delegated=sum(record.delegated[place] for place in kept) / len(kept),
        dns_shares=means(dns, *spans[-1]), served=means(served, *spans[-1]),
        dns_lines=dns, served_lines=served)


def within(line, begin, end):
    """Return [value, ...] of `line`, ((instant, value), ...), where begin < instant <= end."""
    return [value for at, value in line if begin < at <= end]


def widest(lines, spans):
    """Return the largest difference between two values of one line within one of `spans`.

    `lines` is {name: ((instant, value), ...)}, `spans` [(begin, end), ...].
    """
    return max(max(values) - min(values) for line in lines.values() for span in spans
               if (values := within(line, *span)))


def means(lines, begin, end):
    """Return {name: mean of its values where begin < instant <= end}.

    `lines` is {name: ((instant, value), ...)}. A name without values there is left out.
    """
    return {name: math.fsum(values) / len(values) for name, line in lines.items()
            if (values := within(line, begin, end))}


def turns(values, least=MIN_TURN):
    """Return how often the series `values` turns from rising to falling or back.

    A change of direction by less than `least` is not a turn.
    """
    count, extreme, rising = 0, values[0], None
    for value in values:
        if rising is None:
            if abs(value - extreme) >= least:
                rising, extreme = value > extreme, value
        elif value > extreme if rising else value < extreme:
            extreme = value
        elif abs(value - extreme) >= least:
            count, rising, extreme = count + 1, not rising, value
    return count
