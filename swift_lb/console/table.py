"""A View as lines of text (header, table, footer) or as JSON-ready data. Prints nothing."""
import re

from rich.console import Group
from rich.table import Table
from rich.text import Text

from swift_lb.console import units
from swift_lb.console.columns import DEVICES, GAP, that_fit, width_of
from swift_lb.console.combine import distinct

TITLE_LINES = 2
SORTS = {  # word: a field of DeviceRow; the largest first, but nodes in natural order
    'rate': 'choices_per_second', 'choices': 'choices', 'node': None, 'in-flight': 'in_flight',
    'wait': 'oldest_wait', 'first-byte': 'first_byte_time', 'throughput': 'last_throughput',
    'chunks': 'chunks', 'errors': 'errors', 'timeouts': 'timeouts',
}


def screen(view, index, sort, hint, width=None, height=None):
    """Return `view` as a rich Group of `width` by `height` characters; None means no limit.

    `index` is the storage policy shown or None, `sort` a word of SORTS; the first line
    ends with `hint`, such as the key that quits.
    """
    head = [Text(line, 'red' if alarm else '', no_wrap=True, overflow='ellipsis')
            for line, alarm in header(view, index, hint)]
    rows = in_order(view.rows, sort)
    if height is not None:
        rows = rows[:rows_that_fit(len(rows), height - len(head) - TITLE_LINES)]
    return Group(*head, table(rows, width, DEVICES), *footer(view, len(rows)))


def in_order(rows, word):
    """Return DeviceRows sorted by the column that `word` of SORTS names, the largest value first.

    Unknown values come last; equal values are sorted by choices, then by node.
    """
    field = SORTS[word]

    def key(row):
        value = getattr(row, field) if field else 0
        return (value is None, -(value or 0), -row.choices if field else 0, natural(row.node))
    return sorted(rows, key=key)


def natural(text):
    """Return a sort key that puts 10.0.0.9 before 10.0.0.10."""
    return [(1, int(part), '') if part.isdecimal() else (0, 0, part)
            for part in re.split(r'([0-9]+)', text) if part]


def rows_that_fit(rows, lines):
    """Return how many of `rows` rows fit into `lines` lines; if not all, the footer needs one."""
    return rows if rows <= lines else max(0, lines - 1)


def rows_screen(header, rows, noun, columns, width, height):
    """Return a rich Group: header lines, a table of as many `rows` as fit, how many do not.

    `header` yields (line, rich style), `noun` is what a row is, `columns` are Columns, `width` and
    `height` in characters; None is no limit.
    """
    head = [Text(line, style, no_wrap=True, overflow='ellipsis') for line, style in header]
    shown = rows if height is None else rows[
        :rows_that_fit(len(rows), height - len(head) - TITLE_LINES)]
    left = len(rows) - len(shown)
    foot = [Text(f'{units.plural(left, noun)} more not shown', 'dim')] if left else []
    return Group(*head, table(shown, width, columns), *foot)


def header(view, index, hint):
    """Yield (line, True if it reports a problem) for each line above the table of a View.

    `index` is the storage policy shown, None for all; `hint` ends the first line.
    """
    workers = sum(look.newest.page.workers for look in distinct(view.looks))
    urls = sorted({url for url, _keeper in view.looks})
    where = urls[0] if len(urls) == 1 else f'{len(urls)} proxies'
    which = 'policy' if index is None else f'storage policy {index}:'
    yield (f'{where}, {units.plural(workers, "worker")} seen   '
           f'{which} {in_force(view.policies)}   {hint}', False)
    if view.others and index is None:
        yield ('   '.join(f'storage policy {name}: {in_force(policies)}'
                          for name, policies in view.others.items()), False)
    for sentence in view.unanswered.values():
        yield sentence, True


def in_force(policies):
    """Return the names of `policies` as a phrase, which says if one is disabled or they differ."""
    names = [one.name if one.enabled else f'{one.name}, not in force (lb_enabled is false)'
            for one in policies]
    return ' and '.join(names) + (' (workers differ)' if len(names) > 1 else '') or '-'


def table(rows, width, layout):
    """Return the rich Table of `rows`, with the Columns of `layout` that fit into `width`."""
    shown = that_fit(rows, width, layout)
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style='bold')
    for column in shown:
        drawn.add_column(Text(column.title), no_wrap=True, overflow='ellipsis', vertical='bottom',
                         justify='right' if column.right else 'left',
                         min_width=None if column is layout[-1] else width_of(column, rows))
    for row in rows:
        drawn.add_row(*(Text(column.text(row), column.style(row)) for column in shown))
    return drawn


def footer(view, shown):
    """Return a list of at most one line below the table, which has `shown` rows.

    The line says how many devices have no row, or that no device has been read yet.
    """
    if left := len(view.rows) - shown:
        return [Text(f'{units.plural(left, "device")} more not shown', 'dim')]
    if view.looks and not view.rows:
        return [Text('no device has been read yet')]
    return []


FORMAT = 2  # increased when old readers would misread it


def document(view, index, sort):
    """Return the dict that `top --json` prints of a View; for `index` and `sort` see screen()."""
    return {
        'format': FORMAT,
        'books': [_book(url, look.newest.page) | {'age': view.now - look.newest.at}
                  for (url, _keeper), look in sorted(view.looks.items(), key=_place)],
        'unanswered': dict(view.unanswered),
        'storage_policy': index,
        'policies': [one._asdict() for one in view.policies],
        'devices': [row._asdict() for row in in_order(view.rows, sort)],
    }


def _book(url, page):
    return {'url': url, 'pid': page.pid, 'worker': page.worker, 'workers': page.workers,
            'book': page.book and page.book.path}


def _place(item):
    (url, keeper), _look = item
    return url, str(keeper)
