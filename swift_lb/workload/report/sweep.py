"""Charts of figures against the number of workers, from stages that differ in nothing else."""
import itertools
import math
from dataclasses import replace
from typing import NamedTuple

from swift_lb.drawing.looks import COLORS, DASHES, doubling, legend, plain
from swift_lb.drawing.svg import drawing

MIN_NUMBERS = 3          # different numbers of workers that are needed for a line


class Series(NamedTuple):
    """Stages that differ only in the number of workers, in ascending order."""

    name: str
    workers: list      # the number of workers of each stage
    outcomes: list     # a list of Outcomes of each stage


SUCCESS = 'Success ratio, %'
PANELS = {'Throughput, op/s': lambda outcome: outcome.throughput,
          SUCCESS: lambda outcome: outcome.success_ratio * 100,
          'Mean response time, ms': lambda outcome: outcome.mean * 1e3,
          '99th percentile of the response time, ms':
          lambda outcome: outcome.percentile('p99') * 1e3}


def series_of(stages):
    """Return a list of Series, found among the `stages` with a single normal work.

    `stages` are (StageResult, its Outcomes). A Series has at least MIN_NUMBERS numbers of workers.
    """
    normal = [(result.stage, outcomes) for result, outcomes in stages
              if outcomes and len(result.stage.works) == 1
              and result.stage.works[0].type == 'normal']
    alike = [_but_for_workers(stage) for stage, _outcomes in normal]
    groups = [[one for one, work in zip(normal, alike, strict=True) if work == first]
              for number, first in enumerate(alike) if first not in alike[:number]]
    groups_of_runs = [sorted(group, key=_workers) for group in groups
                      if len(set(map(_workers, group))) >= MIN_NUMBERS]
    return [Series(_name([stage for stage, _outcomes in group], number),
                   list(map(_workers, group)), [outcomes for _stage, outcomes in group])
            for number, group in enumerate(groups_of_runs, 1)]


def _workers(one):
    return one[0].works[0].workers


def _but_for_workers(stage):
    work = stage.works[0]
    return replace(work, name='', workers=1, config='', operations=tuple(
        replace(operation, id='', config='') for operation in work.operations))


def _name(stages, number):
    """Return a name for a series: the common beginning of its stages' names, or of their works'.

    Without a common beginning it is `series` and `number`.
    """
    for names in ([stage.name for stage in stages], [stage.works[0].name for stage in stages]):
        common = ''.join(letters[0] for letters in itertools.takewhile(
            lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))
        if common := common.rstrip('0123456789').rstrip(' -_.,') or (
                common if len(set(names)) == 1 else ''):
            return common
    return f'series {number}'


def sweep(series):
    """Return the SVG with throughput, success ratio and response times of all `series`."""
    return drawing(lambda figure: _draw(figure, series), (9.6, 5.6), 'sweep',
                   'throughput, success ratio and response times against the number of workers')


def _draw(figure, all_series):
    handles, labels = [], []
    panels = figure.subplots(2, 2).flat
    for axes, (title, figure_of) in zip(panels, PANELS.items(), strict=True):
        handles, labels = _lines(axes, all_series, figure_of)
        _axes(axes, title, sorted({many for series in all_series for many in series.workers}))
    legend(figure, handles, labels, (0.15, 0.42))


def _lines(axes, all_series, figure):
    handles, labels = [], []
    for dash, series in enumerate(all_series):
        for number, operation in enumerate(zip(*series.outcomes, strict=True)):
            color, label = COLORS[number % len(COLORS)], operation[0].label
            values = list(map(figure, operation))
            axes.plot(series.workers, values, 'o', color=color, markersize=3)
            handles += axes.plot(*means(series.workers, values), color=color,
                                 linestyle=DASHES[dash % len(DASHES)])
            labels.append(f'{series.name}: {label}' if len(all_series) > 1 else label)
    return handles, labels


def means(workers, values):
    """Return (the different numbers in `workers`, the mean of the `values` at each), two lists."""
    groups = {}
    for many, value in zip(workers, values, strict=True):
        groups.setdefault(many, []).append(value)
    return list(groups), [sum(group) / len(group) for group in groups.values()]


def _axes(axes, title, workers):
    axes.set_title(title)
    axes.yaxis.set_major_formatter(plain)
    doubling(axes, workers)
    values = [value for line in axes.lines for value in line.get_ydata() if math.isfinite(value)]
    if title == SUCCESS:
        axes.set_ylim(min(90, math.floor(min(values, default=90) / 10) * 10), 101)
    else:
        axes.set_ylim(0, max(values, default=1) * 1.06 or 1)
    axes.set_xlabel('workers')
