"""The drawing of Figure 11: mean seconds by the offered load, with tier 4 and without."""
from swift_lb.drawing.looks import legend, look
from swift_lb.drawing.png import picture

PANEL = 3.4, 2.8        # inches
LABELS = {'off': 'one cluster alone', 'on': 'with the other one'}


def draw(results, path):
    """Draw {Part: its LevelResults} as a PNG at `path`; return the path."""
    def draw_on(figure):
        handles = {}
        for axes, (part, rows) in zip(figure.subplots(1, len(results), squeeze=False)[0],
                                      results.items(), strict=True):
            for number, (tier4, label) in enumerate(LABELS.items()):
                handles[label], = axes.plot([row.level for row in rows],
                                            [row.seconds[tier4] for row in rows], marker='o',
                                            ms=4, **look(number))
            axes.set(title=f'({part.name}) {part.what}', xlabel='offered load / capacity of ksu',
                     ylabel='mean seconds')
            axes.set_ylim(bottom=0)
        legend(figure, [*handles.values()], [*handles], (0.25, 0.0))

    picture(draw_on, (0.7 + PANEL[0] * max(2, len(results)), 0.9 + PANEL[1]), path)
    return path
