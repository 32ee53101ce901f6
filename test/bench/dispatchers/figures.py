"""The figures of runs, and their table."""
import math
import statistics
from typing import NamedTuple

from bench.dispatchers.balancers import BASELINES, LEAST_CONN, PLAIN, ROUND_ROBIN

SHORT = {ROUND_ROBIN: 'rr', LEAST_CONN: 'lc', PLAIN: 'plain'}


class RunFigures(NamedTuple):
    """The figures of one run; the rate and percentiles leave out the warm-up, others do not."""

    rate: float         # answers a second
    p50: float          # seconds
    p99: float
    errors: int         # of all the run
    delegated: float    # fraction of requests
    cpu: float          # seconds that proxies used for a request, of all the run
    shares: list


def figures(done, warm, seconds):
    """Return the RunFigures of a LoadResult of `seconds`, without its first `warm` seconds.

    A request that its client gave up counts as answered at that time: a lower bound.
    """
    seen = done.seen
    times = sorted(ended - due for due, ended in seen.answers + seen.failures if due >= warm)
    ended = sum(warm <= ended < seconds for _due, ended in seen.answers)
    return RunFigures(ended / (seconds - warm), quantile(times, .5), quantile(times, .99),
                      len(seen.failures), done.delegated / max(1, done.requests),
                      done.cpu / max(1, done.requests), done.shares)


def quantile(times, part):
    """Return the nearest-rank quantile `part`, 0 to 1, of the sorted `times`; NaN without any."""
    return times[min(len(times) - 1, math.ceil(part * len(times)) - 1)] if times else math.nan


def median(runs):
    """Return a NamedTuple of the type of `runs`: each field, or item of a list, is their median."""
    return type(runs[0])(*(
        [statistics.median(one) for one in zip(*of, strict=False)]
        if isinstance(of[0], list | tuple) else statistics.median(of)
        for of in zip(*runs, strict=True)))


def medians(result):
    """Return {key: {name: median() of its runs}} of {key: {name: runs}}, without those not run."""
    by_key = {key: {name: median(runs) for name, runs in by_name.items() if runs}
              for key, by_name in result.items()}
    return {key: by_name for key, by_name in by_key.items() if by_name}


HEAD = (f'{"":28}{"req/s":>7}{"% MAX":>7}{"p50, ms":>9}{"p99, ms":>9}{"errors":>8}'
        f'{"delegated":>11}{"CPU, ms":>9}'
        '   ratios of rate, p50, p99 to each of the first; served by each proxy, %')


def table(result):
    """Return the table, as lines, of {LabScenario: {balancer's name: [RunFigures a block]}}."""
    lines = [HEAD]
    for scenario, by_name in medians(result).items():
        lines.append(scenario.title)
        lines += [line(scenario, name, one, by_name) for name, one in by_name.items()]
    return lines


def line(scenario, name, one, by_name):
    """Return the row of the RunFigures `one` of `name`; `by_name` has all of the LabScenario."""
    most = f'{one.rate / scenario.most:7.1%}' if scenario.most else f'{"":7}'
    ratios = '  '.join(f'{SHORT[other]} {ratio(one, by_name[other])}' for other in BASELINES
                       if other in by_name and other != name)
    shares = ' '.join(f'{share:.0%}'[:-1] for share in one.shares)
    return (f'  {name:26}{one.rate:7.1f}{most}{1e3 * one.p50:9.1f}{1e3 * one.p99:9.1f}'
            f'{one.errors:8.0f}{one.delegated:11.1%}{1e3 * one.cpu:9.2f}   {ratios}; {shares}')


def ratio(one, other):
    """Return the rate, p50 and p99 of the RunFigures `one`, divided by `other`'s, as text."""
    return ' '.join(f'{getattr(one, name) / getattr(other, name):.2f}' if getattr(other, name)
                    else '-' for name in ('rate', 'p50', 'p99'))
