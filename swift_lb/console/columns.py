"""The columns of a table, and the choice of those that fit into a terminal. Pure."""
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.console import units

GAP = 2             # characters between two columns
MIN_WHY_WIDTH = 24      # characters: a reason that is cut shorter is useless


class Column(NamedTuple):
    """One column: its title of one or two lines, a function from a row to its text, and its style.

    A narrow terminal omits columns that have a number in `omitted`, the lowest number first.
    """

    title: str
    text: Callable
    right: bool = True
    style: Callable = lambda _row: ''
    omitted: int | None = None


def _spread(pair, write):
    return units.spread(*pair, write) if pair else ''


DEVICES = (     # of a DeviceRow
    Column('node', lambda row: row.node, right=False),
    Column('share', lambda row: units.share(row.share), omitted=6),
    Column('choices\nper s', lambda row: units.per_second(row.choices_per_second)),
    Column('in\nflight', lambda row: units.count(row.in_flight)),
    Column('oldest\nwait', lambda row: units.duration(row.oldest_wait)),
    Column('first\nbyte', lambda row: units.duration(row.first_byte_time)),
    Column('workers\ndiffer', lambda row: _spread(row.first_byte_times, units.duration), omitted=2),
    Column('last\nchunk', lambda row: units.throughput(row.last_throughput), omitted=8),
    Column('workers\ndiffer', lambda row: _spread(row.last_throughputs, units.throughput),
           omitted=1),
    Column('its\nage', lambda row: units.duration(row.last_chunk_age), omitted=4),
    Column('chunks', lambda row: units.count(row.chunks), omitted=3),
    Column('errors', lambda row: units.count(row.errors)),
    Column('time-\nouts', lambda row: units.count(row.timeouts), omitted=7),
    Column('why', lambda row: row.why, right=False, omitted=5))


def width_of(column, rows):
    """Return how many characters wide `column` must be for its title and its texts in `rows`."""
    return max(len(text) for text in (*column.title.split('\n'), *map(column.text, rows)))


def that_fit(rows, width, columns):
    """Return those of `columns`, in order, that fit into `width` characters; None is no limit.

    Columns with a number in `omitted` are left out until the texts of `rows` fit, the lowest number
    first; those that are empty in all rows are left out first of all. The last column, a reason,
    may be cut; all others are shown in full.
    """
    columns = tuple(one for one in columns if one is columns[-1] or not one.omitted
                    or not rows or any(map(one.text, rows)))
    if width is None:
        return columns
    needs = {column: width_of(column, rows) + GAP for column in columns}
    needs[columns[-1]] = min(needs[columns[-1]], MIN_WHY_WIDTH)
    for column in sorted((one for one in columns if one.omitted), key=lambda one: one.omitted):
        if sum(needs.values()) - GAP <= width:
            break
        del needs[column]
    return tuple(needs)
