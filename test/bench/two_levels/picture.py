"""The paper's Figures 5 and 6: grouped bars of throughput, one group for each number of proxies."""
from bench.two_levels.combinations import COMBINATIONS, NONE, SAYS

from swift_lb.drawing.looks import COLORS, legend
from swift_lb.drawing.png import picture

SIZE = (6.4, 3.8)       # inches
WIDTH = 0.2             # of a bar; between groups it is 1
NAMES = tuple(one.name for one in COMBINATIONS)


def draw(by_scenario, folder):
    """Draw {LabScenario: {combination's name: median RunFigures}}, a PNG a figure; return paths."""
    paths = []
    for name in dict.fromkeys(scenario.name for scenario in by_scenario):
        of_figure = {scenario.proxies: by_name for scenario, by_name in by_scenario.items()
                     if scenario.name == name}
        if unit(of_figure):
            paths.append(folder / f'{name.lower().replace(" ", "-")}.png')
            picture(lambda figure, name=name, shown=of_figure: bars(figure, name, shown), SIZE,
                    paths[-1])
    return paths


def unit(of_figure):
    """Return (the fewest proxies with a rate of `none`, that rate); None if none was measured.

    `of_figure` is {proxies: {combination's name: RunFigures}}; bars are scaled to that rate."""
    return min(((proxies, by_name[NONE.name].rate) for proxies, by_name in of_figure.items()
                if NONE.name in by_name), default=None)


def bars(figure, name, of_figure):
    """Draw the bars of {proxies: {combination's name: RunFigures}} on the Figure `figure`."""
    fewest, one = unit(of_figure)
    axes = figure.subplots()
    for number, combination in enumerate(NAMES):
        places = [(place, by_name[combination].rate / one)
                  for place, by_name in enumerate(of_figure.values()) if combination in by_name]
        drawn = axes.bar([place + (number - (len(NAMES) - 1) / 2) * WIDTH
                          for place, _rate in places], [rate for _place, rate in places],
                         WIDTH, color=COLORS[number], label=combination)
        axes.bar_label(drawn, fmt='%.2f', fontsize=8, padding=2, color='#374151')
    axes.margins(y=0.1)
    axes.set_xticks(range(len(of_figure)), of_figure)
    axes.grid(axis='x', visible=False)
    axes.set(title=f'{name}: {SAYS[name]}', xlabel='number of proxies', ylim=(0, None),
             ylabel=f'throughput ({NONE.name} of {fewest} proxies = 1)')
    legend(figure, *axes.get_legend_handles_labels())
