"""Rates of runs, their fractions of MAX, and the table."""
import math
import statistics
from typing import NamedTuple

from bench.catalogue.paper import BEST, MIXES, TIMES

OURS = 'swift-lb adaptive'
ORDER = [(mix, kind) for mix in MIXES for kind in TIMES]    # as in the paper's Table 2
HEAD = f'{"errors":>6}{"delegated":>10}{"processors":>12}'


class CatalogueRun(NamedTuple):
    rate: float     # answers a second
    errors: int
    delegated: float        # fraction of requests
    cpu: float      # processors that the proxies have used


def rate(answers, begin, end, ramp):
    """Return answers per second from second `begin` to `end`; `answers` is [(due, ended), ...].

    Slots that always take the same time work in step: six answers at once, then none for most of a
    second, so that 5 s may contain six such rounds or seven. Weights remove this error: an answer
    counts as 1, and as less, down to 0, within `ramp` seconds of begin and end. The rate is the sum
    of the weights divided by (end - begin - ramp).
    """
    weights = (min(1.0, max(0.0, min(ended - begin, end - ended) / ramp)) for _, ended in answers)
    return math.fsum(weights) / (end - begin - ramp)


def parts(runs, most):
    """Return the rate of each of a balancer's CatalogueRuns, divided by MAX's in the same block."""
    return [one.rate / whole.rate for one, whole in zip(runs, most, strict=False)]


def shares(result, most):
    """Return {balancer: {column: [fraction of MAX in each block]}}; table() has the arguments."""
    names = dict.fromkeys(name for by_balancer in result.values() for name in by_balancer)
    return {name: {column: fractions for column in ORDER
                   if (fractions := parts(result[column].get(name, ()), most[column]))}
            for name in names}


def best(fractions, column, ours=OURS):
    """Return (median, name) of the balancer other than `ours` with the greatest fraction of MAX.

    `fractions` is a result of shares(). None if no other balancer has figures for `column`."""
    return max(((statistics.median(by_column[column]), name)
                for name, by_column in fractions.items() if name != ours and column in by_column),
               default=None)


def table(result, most, scenarios):
    """Return the lines of the table; a column is (mix, kind).

    The arguments are {column: {balancer: CatalogueRuns}}, {column: MAX's}, {column: LabScenario}.
    """
    fractions = shares(result, most)
    lines = [row('', [mix if kind == 'G0' else '' for mix, kind in ORDER]),
             row('% of MAX', [kind for _, kind in ORDER], HEAD),
             row('MAX, measured, req/s', [middle([run.rate for run in most[column]])
                                          for column in ORDER]),
             row('slots / mean, req/s', [f'{scenarios[column].most:.1f}' for column in ORDER])]
    lines += [row(name, [middle(by_column.get(column, ()), 100) for column in ORDER],
                  beside(result, name)) for name, by_column in fractions.items()]
    return lines + verdict(fractions)


def verdict(fractions):
    """Return lines that compare our policy with the best of the others, and with the paper's best.

    `fractions` is a result of shares()."""
    lines, kept = [f'{"":22}{"ours":>8}{"others":>9}{"ours / best":>13}   {"best of the others":35}'
                   f'{"paper":>7}{"ours / paper":>14}   the paper\'s best'], []
    for column in ORDER:
        other, paper = best(fractions, column), BEST[column]
        if other and column in fractions.get(OURS, {}):
            ours, papers = statistics.median(fractions[OURS][column]), paper.rate / paper.most
            kept.append((ours >= other[0], ours >= papers))
            lines.append(f'{" ".join(column):22}{ours:8.1%}{other[0]:9.1%}{ours / other[0]:13.4f}'
                         f'   {other[1]:35}{papers:7.1%}{ours / papers:14.4f}   {paper.name}')
    return [*lines, f'{OURS} >= the best of the others in {sum(one for one, _ in kept)} of '
            f"{len(kept)} columns, >= the paper's best in {sum(one for _, one in kept)}"]


def row(name, cells, rest=''):
    """Return the line of the table with these texts: its first cell, the others, and the end."""
    return f'{name:36}' + ''.join(f'{cell or "":<13}' for cell in cells) + rest


def middle(values, times=1):
    """Return `times` the median as text; of several values with half of their range; '' of none."""
    if not values:
        return ''
    text = f'{times * statistics.median(values):.1f}'
    return text + (f' +-{times * (max(values) - min(values)) / 2:.1f}' if len(values) > 1 else '')


def beside(result, name):
    """Return all errors, the mean delegated fraction and the most CPU of a balancer, as text."""
    runs = [run for by_balancer in result.values() for run in by_balancer.get(name, ())]
    return (f'{sum(run.errors for run in runs):6}'
            f'{statistics.mean(run.delegated for run in runs):10.0%}'
            f'{max(run.cpu for run in runs):12.2f}')
