"""The common style of all charts: colours, dashes, legends, axes."""
import math

COLORS = ('#2b6ca3', '#d1662f', '#3a8f5c', '#8a5fa8', '#b8902c', '#c0487c', '#3aa0a0', '#5b6770')
DASHES = ('-', '--', ':', '-.')
PALE = '#e3e6ea'
STYLE = {   # matplotlib's rcParams
    'svg.fonttype': 'none', 'text.parse_math': False, 'font.size': 9,
    'font.family': 'sans-serif', 'font.sans-serif': ['DejaVu Sans'],
    'axes.spines.top': False, 'axes.spines.right': False, 'axes.edgecolor': '#9aa1ab',
    'axes.labelcolor': '#374151', 'axes.titlesize': 9.5, 'axes.titlelocation': 'left',
    'axes.titlecolor': '#1f2933', 'axes.grid': True, 'axes.axisbelow': True, 'grid.color': PALE,
    'grid.linewidth': 0.7, 'xtick.color': '#9aa1ab', 'ytick.color': '#9aa1ab',
    'xtick.labelcolor': '#374151', 'ytick.labelcolor': '#374151', 'xtick.major.size': 0,
    'ytick.major.size': 0, 'xtick.minor.size': 0, 'ytick.minor.size': 0, 'lines.linewidth': 1.6,
    'legend.frameon': False, 'legend.fontsize': 9, 'path.simplify_threshold': 0.3,
    'figure.facecolor': 'none', 'axes.facecolor': 'none',
}
LONGEST_LABEL = 40
LETTERS = 13.5      # characters of a legend per inch


def look(number):
    """Return the style of a figure's line `number`, from 0: {'color': ..., 'linestyle': ...}.

    Each line has the next colour; after the last colour, the dashes change too.
    """
    return {'color': COLORS[number % len(COLORS)],
            'linestyle': DASHES[number // len(COLORS) % len(DASHES)]}


def legend(figure, handles, labels, gaps=(0.0, 0.0)):
    """Put a legend above the panels of a figure, where it covers no line.

    `handles` and `labels` are matplotlib's: drawn objects and their texts. `gaps` are the gaps
    between panels side by side and one above another, as fractions of a panel.
    """
    shown = [f' {label}' if label.startswith('_') else label  # matplotlib hides labels with _
             for label in map(shortened, labels)]
    width, height = figure.get_size_inches()
    columns = _columns([len(label) + 8 for label in shown], LETTERS * width)
    rows = math.ceil(len(shown) / columns)
    figure.legend(handles, shown, loc='upper left', bbox_to_anchor=(0.5 / width, 1),
                  handlelength=1.8, borderaxespad=0.1, borderpad=0.2, ncols=columns)
    # matplotlib's automatic layout takes three times as long
    figure.subplots_adjust(left=0.62 / width, right=1 - 0.1 / width, bottom=0.45 / height,
                           top=1 - (0.32 + 0.19 * rows) / height, wspace=gaps[0], hspace=gaps[1])


def _columns(widths, line):
    """Return how many columns a legend has if its labels have these `widths`.

    A line of the legend has room for `line` characters.
    """
    return max(1, len(widths) if sum(widths) <= line else int(line // max(widths)))


def shortened(label):
    """Return a label of a legend, cut to at most LONGEST_LABEL characters."""
    return label if len(label) <= LONGEST_LABEL else f'{label[:LONGEST_LABEL - 3]}...'


def plain(value, _place=None):
    """Return the label of a tick on a logarithmic axis: 0.1, 20, 5,000."""
    return f'{value:,.10g}'


def readable(axis):
    """Put the ticks of a logarithmic axis at 1, 2, 5, 10, 20 ..., in plain numbers."""
    from matplotlib.ticker import LogLocator, NullLocator
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(plain)
    axis.set_minor_locator(NullLocator())


def doubling(axes, numbers):
    """Make the x axis logarithmic, of base 2, with ticks at the ascending `numbers`."""
    axes.set_xscale('log', base=2)
    axes.set_xticks(numbers, apart(numbers))
    axes.minorticks_off()
    axes.grid(axis='x', visible=False)


def apart(numbers):
    """Return the labels of ticks at the ascending `numbers`; '' for one too close to the next."""
    return [f'{number}' if 1.5 * number <= following else ''
            for number, following in zip(numbers, [*numbers[1:], math.inf], strict=True)]
