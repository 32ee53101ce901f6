"""Tables of the bench of the Cygnus paper: throughput, times, effect of wrong load thresholds.
"""
from typing import NamedTuple

from bench.cygnus.settings import A_CLIENT, BALANCERS, WRONG_THRESHOLDS
from bench.dispatchers.figures import figures

FIRST, CELL = 11, 22    # letters of a column
NONE = '-'


class CygnusFigures(NamedTuple):
    rate: float         # 2xx a second, after the warm-up
    p50: float          # seconds
    p99: float
    failed: float       # answers a second that are no 2xx, of all the run


def figures_of(done, warm, seconds):
    """Return the CygnusFigures of a LoadResult of `seconds`, without its first `warm` seconds."""
    one = figures(done, warm, seconds)
    return CygnusFigures(one.rate, one.p50, one.p99, one.errors / seconds)


def tables(by_case, mean):
    right = {case: one for case, one in by_case.items() if case.kind != WRONG_THRESHOLDS}
    wrong = {case: one for case, one in by_case.items() if case.kind == WRONG_THRESHOLDS}
    lines = []
    if right:
        lines += table('2xx a second, and ratio to round robin a client', right, mean, served)
        lines += table('response times, ms: p50 p99', right, mean, times)
    if wrong:
        lines += table('Figure 10. 2xx a second, ratio to round robin a client; refused a second',
                       wrong, mean, refused)
    return lines


def table(title, by_case, mean, cell):
    """Return the lines of the table of {Case: {balancer's name: CygnusFigures}}.

    `cell`(CygnusFigures, those of A_CLIENT or None) makes a cell; `mean`: seconds a request."""
    names = [one.name for one in BALANCERS
             if any(one.name in by_name for by_name in by_case.values())]
    lines, above = ['', title], None
    for case, by_name in by_case.items():
        if above != (above := (case.kind, case.servers)):
            what = f'{case.kind}, {case.servers} servers, MAX {case.scenario(mean).most:.0f}/s'
            lines += [what, f'{"clients":<{FIRST}}' + ''.join(f'{name:>{CELL}}' for name in names)]
        first = by_name.get(A_CLIENT.name)
        lines.append(f'{case.clients:>{FIRST - 4}}    ' + ''.join(
            f'{cell(by_name[name], first) if name in by_name else NONE:>{CELL}}'
            for name in names))
    return lines


def served(one, first):
    """Return the 2xx a second of the CygnusFigures `one`, and its ratio to `first`'s, as text."""
    return f'{one.rate:.1f} {ratio(one, first):>5}'


def times(one, _first):
    """Return the p50 and p99, in ms, of the CygnusFigures `one` as text."""
    return f'{1e3 * one.p50:.0f} {1e3 * one.p99:5.0f}'


def refused(one, first):
    """Return served(), and the other answers a second of the CygnusFigures `one`, as text."""
    return f'{served(one, first)} {one.failed:6.1f}'


def ratio(one, first):
    """Return the rate of `one` divided by `first`'s as text; NONE without CygnusFigures `first`."""
    return f'{one.rate / first.rate:.2f}' if first and first.rate else NONE
