"""The drawings: throughput over the number of clients, as in the paper's Figures 9 and 12 to 17.

With wrong thresholds, throughput over the number of servers, as in its Figure 10.
"""
from bench.cygnus.settings import BALANCERS, WRONG_THRESHOLDS

from swift_lb.drawing.looks import doubling, legend, look
from swift_lb.drawing.png import picture

LIMIT = {'color': '#9aa1ab', 'lw': 1.0, 'ls': ':'}
PANEL = 3.2, 2.6        # inches
SERVED = '2xx a second'


def draw(by_case, mean, folder):
    """Draw {Case: {balancer's name: CygnusFigures}} as PNGs in `folder`; return their paths."""
    wrong = {case: one for case, one in by_case.items() if case.kind == WRONG_THRESHOLDS}
    right = {case: one for case, one in by_case.items() if case not in wrong}
    paths = []
    for name, cases, drawn in (('cygnus.png', right, _right), ('cygnus-wrong.png', wrong, _wrong)):
        if cases:
            paths.append(folder / name)
            drawn(cases, mean, paths[-1])
    return paths


def _right(by_case, mean, path):
    kinds, servers = (list(dict.fromkeys(getattr(case, name) for case in by_case))
                      for name in ('kind', 'servers'))

    def draw_on(figure):
        panels = figure.subplots(len(kinds), len(servers), squeeze=False)
        handles = {}
        for axes_of, kind in zip(panels, kinds, strict=True):
            for axes, many in zip(axes_of, servers, strict=True):
                cases = {case: one for case, one in by_case.items()
                         if (case.kind, case.servers) == (kind, many)}
                handles |= _lines(axes, cases, 'clients', mean)
                axes.set_title(f'{kind} clients, {many} servers')
            axes_of[0].set_ylabel(SERVED)
        legend(figure, [*handles.values()], [*handles], (0.2, 0.45))

    wide, high = PANEL
    picture(draw_on, (0.7 + wide * max(2, len(servers)), 0.9 + high * len(kinds)), path)


def _wrong(by_case, mean, path):
    def draw_on(figure):
        axes = figure.subplots()
        handles = _lines(axes, by_case, 'servers', mean)
        axes.set(title=f'thresholds too low, {next(iter(by_case)).clients} clients', ylabel=SERVED)
        legend(figure, [*handles.values()], [*handles])

    picture(draw_on, (2 * PANEL[0], 0.9 + 1.3 * PANEL[1]), path)


def _lines(axes, cases, over, mean):
    """Draw the rates of {Case: {balancer's name: CygnusFigures}} over the Cases' field `over`.

    Return {label: the line drawn}, for the legend."""
    at = {getattr(case, over): case for case in cases}
    most = [case.scenario(mean).most for case in at.values()]
    handles = {}
    handles['all servers busy'], = axes.plot([*at], most, **LIMIT)
    for number, balancer in enumerate(BALANCERS):
        results = {x: cases[case][balancer.name].rate for x, case in at.items()
                   if balancer.name in cases[case]}
        if results:
            handles[balancer.name], = axes.plot([*results], [*results.values()], marker='o', ms=4,
                                                **look(number))
    if at:
        doubling(axes, sorted(at))
        axes.set(xlabel=over, ylim=(0, 1.1 * max(most)))
    return handles
