"""The picture of a closed loop: shares over time, a column for each rule set."""
from swift_lb.drawing.looks import legend, look
from swift_lb.drawing.png import picture

ROWS = (('told_lines', 'share of the new clients (DNS)'),
        ('served_lines', 'share of what is served, in 10 s'))


def draw(setting, outcomes, path):
    """Draw {rules: Outcome} of a Setting as a PNG at `path`, a pathlib.Path."""
    picture(lambda figure: _draw(figure, setting, outcomes), (1.2 + 4.6 * len(outcomes), 6.4),
            path)


def _draw(figure, setting, outcomes):
    panels = figure.subplots(len(ROWS), len(outcomes), squeeze=False, sharex=True, sharey='row')
    handles = {}
    for axes_of, (lines, says) in zip(panels, ROWS, strict=True):
        for axes, (rules, found) in zip(axes_of, outcomes.items(), strict=True):
            for number, (name, line) in enumerate(getattr(found, lines).items()):
                handles[name], = axes.plot([at for at, _share in line],
                                           [share for _at, share in line], lw=0.8, **look(number))
            for change in setting.changes:
                axes.axvspan(change.at, min(change.until, setting.seconds), color='#f3ead8',
                             zorder=0)
            axes.set(title=f'{rules}: {says}', ylim=(0, None), xlim=(0, setting.seconds))
    for axes in panels[-1]:
        axes.set_xlabel('seconds')
    legend(figure, [*handles.values()], [*handles], (0.1, 0.2))
