"""The drawing: answers and refusals in each second, a column for each balancer."""
from bench.dispatchers.figures import medians
from bench.overload.figures import BIN
from bench.overload.phases import PEAK

from swift_lb.drawing.looks import COLORS, legend
from swift_lb.drawing.png import picture

SHADES = '#f3ead8', '#ffffff'


def draw(result, phases, path):
    """Draw {balancer's name: {phase's name: [PhaseFigures a block]}} as a PNG at `path`."""
    if by_name := medians(result):
        size = (1.0 + 4.4 * len(by_name), 5.6)
        picture(lambda figure: _draw(figure, by_name, phases), size, path)


def _draw(figure, by_name, phases):
    panels = figure.subplots(2, len(by_name), squeeze=False, sharex=True, sharey='row')
    lines, most = {}, max(max(one.course, default=0.0) for by_phase in by_name.values()
                          for one in by_phase.values())
    for (above, below), (name, by_phase) in zip(zip(*panels, strict=True), by_name.items(),
                                                strict=True):
        begin = 0.0
        for number, phase in enumerate(phase for phase in phases if phase.name in by_phase):
            one = by_phase[phase.name]
            for axes in (above, below):
                axes.axvspan(begin, begin + phase.seconds, color=SHADES[number % 2], zorder=0, lw=0)
            above.text(begin + phase.seconds / 2, 1, phase.name, ha='center', va='top',
                       fontsize=8, transform=above.get_xaxis_transform())
            lines['answered'], = above.plot(
                [begin + BIN * (0.5 + place) for place in range(len(one.course))], one.course,
                color=COLORS[0], marker='.')
            lines['share refused'], = below.plot(
                [begin + 0.5 + place for place in range(len(one.shares))], one.shares,
                color=COLORS[1], lw=1)
            begin += phase.seconds
        if PEAK in by_phase:
            lines['0.9 of the peak'] = above.axhline(0.9 * by_phase[PEAK].goodput, lw=1, ls='--',
                                                     color=COLORS[7])
        above.set(title=f'{name}: answered in time, a second', ylim=(0, 1.15 * most),
                  xlim=(0, begin))
        below.set(title=f'{name}: share of the requests that is refused', ylim=(0, 1),
                  xlabel='seconds')
    legend(figure, [*lines.values()], [*lines], (0.08, 0.22))
