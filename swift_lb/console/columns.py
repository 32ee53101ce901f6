"""The columns of a table, and the choice of those that fit into a terminal. Pure."""
from collections.abc import Callable
from typing import NamedTuple

from swift_lb.console import units

GAP = 2             # characters between two columns
MIN_WHY_WIDTH = 24      # characters: a reason that is cut shorter is useless


class Column(NamedTuple):
    """One column: its title of one or two lines, a function from a row to its text, and its style.
    """

    title: str
    text: Callable
    right: bool = True
    style: Callable = lambda _row: ''


class ColumnLayout(NamedTuple):
    """The columns of a table, of which the last may be cut, and those that a narrow one omits."""

    columns: tuple
    left_out_first: tuple


def _spread(pair, write):
    return units.spread(*pair, write) if pair else ''


NODE = Column('node', lambda row: row.node, right=False)
SHARE = Column('share', lambda row: units.share(row.share))
CHOICES = Column('choices\nper s', lambda row: units.per_second(row.choices_per_second))
IN_FLIGHT = Column('in\nflight', lambda row: units.count(row.in_flight))
OLDEST_WAIT = Column('oldest\nwait', lambda row: units.duration(row.oldest_wait))
FIRST_BYTE = Column('first\nbyte', lambda row: units.duration(row.first_byte_time))
FIRST_BYTES = Column('workers\ndiffer', lambda row: _spread(row.first_byte_times, units.duration))
LAST_CHUNK = Column('last\nchunk', lambda row: units.throughput(row.last_throughput))
LAST_CHUNKS = Column('workers\ndiffer',
                     lambda row: _spread(row.last_throughputs, units.throughput))
AGE = Column('its\nage', lambda row: units.duration(row.last_chunk_age))
CHUNKS = Column('chunks', lambda row: units.count(row.chunks))
ERRORS = Column('errors', lambda row: units.count(row.errors))
TIMEOUTS = Column('time-\nouts', lambda row: units.count(row.timeouts))
WHY = Column('why', lambda row: row.why, right=False)

COLUMNS = (NODE, SHARE, CHOICES, IN_FLIGHT, OLDEST_WAIT, FIRST_BYTE, FIRST_BYTES, LAST_CHUNK,
           LAST_CHUNKS, AGE, CHUNKS, ERRORS, TIMEOUTS, WHY)
LEFT_OUT_FIRST = (LAST_CHUNKS, FIRST_BYTES, CHUNKS, AGE, WHY, SHARE, TIMEOUTS, LAST_CHUNK)
DEVICES = ColumnLayout(COLUMNS, LEFT_OUT_FIRST)


def width_of(column, rows):
    """Return the characters that `column` needs for the rows."""
    return max(len(text) for text in (*column.title.split('\n'), *map(column.text, rows)))


def that_fit(rows, width, layout):
    """Return the columns that fit into `width` characters, in their order; None is no limit.

    The last one, a reason, may be cut, the others not; which are left out first is in `layout`.
    """
    if width is None:
        return layout.columns
    needs = {column: width_of(column, rows) + GAP for column in layout.columns}
    needs[layout.columns[-1]] = min(needs[layout.columns[-1]], MIN_WHY_WIDTH)
    for column in layout.left_out_first:
        if sum(needs.values()) - GAP <= width:
            break
        del needs[column]
    return tuple(needs)
