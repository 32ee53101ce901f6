"""A ClusterView as lines of a terminal: header, table, and a count of the rows that do not fit."""
from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.table import natural, rows_screen

STYLES = {  # state, the worst first: its style of rich
    'gone': 'bold magenta', 'critical': 'bold red', 'rejected': 'red', 'late': 'yellow',
    'draining': 'cyan', 'disabled': 'dim', 'up': 'green',
}
WORST = tuple(STYLES)
LATE = WORST.index('late')  # the place of unknown states, and of nodes with another instruction
FRACTIONS = frozenset(('cpu', 'memory', 'network', 'disk'))
MAX_NAMES = 6       # nodes in a sentence


def screen(view, hint, width=None, height=None):
    """Return a ClusterView as a rich Group of `width` by `height` characters; None is no limit.

    The first line ends with `hint`, such as the key that quits.
    """
    rows = in_order(view.page.nodes)
    return rows_screen(header(view, hint), rows, 'node', layout(view.page.metric), width, height)


def header(view, hint):
    """Yield (line, rich style) for each line above a ClusterView's table; `hint` ends the first."""
    page = view.page
    up = sum(node.state == 'up' for node in page.nodes)
    yield (f'{view.url}, agent of {page.node}   rules {page.rules} by {page.metric}   '
           f'{instruction(page)}   {up} of {units.plural(len(page.nodes), "node")} up   {hint}', '')
    if view.unanswered:
        yield f'{view.unanswered}; the table is {units.duration(view.age)} old', 'bold red'
    if page.panic:
        yield 'panic: more than half of the nodes looked bad, so all are treated as up', 'bold red'
    for fault in page.faults:
        yield f'fault: {fault}', 'red'
    others = [node.node for node in page.nodes if node.agrees is False and node.node != page.node]
    if others:
        yield (f'{several(others)} {"carries" if len(others) == 1 else "carry"} out another '
               f'instruction than {page.node}', 'yellow')
    if not page.nodes:
        yield 'no node has sent a report yet', ''


def instruction(page):
    """Return a phrase about the instruction in force: its generation, and when it expires."""
    if page.generation is None:
        return 'no instruction yet'
    if page.expires_in is None:
        return f'instruction {page.generation}'
    if page.expires_in <= 0:
        return f'instruction {page.generation} has expired'
    return f'instruction {page.generation} expires in {units.duration(page.expires_in)}'


def several(names):
    """Return the first MAX_NAMES of `names` as text, and how many follow: `a, b and 3 more`."""
    rest = len(names) - MAX_NAMES
    return ', '.join(names[:MAX_NAMES]) + (f' and {rest} more' if rest > 0 else '')


def in_order(nodes):
    """Return the nodes sorted by state, the worst first, then by load, the highest first."""
    def key(node):
        return severity(node), node.load is None, -(node.load or 0), natural(node.node)
    return sorted(nodes, key=key)


def severity(node):
    """Return the rank of a node's state: 0 for the worst, `gone`, up to 6 for `up`.

    An unknown state has the rank of `late`, 3; a node with another instruction has at most that.
    """
    place = WORST.index(node.state) if node.state in WORST else LATE
    return min(place, LATE) if node.agrees is False else place


def layout(metric):
    """Return the Columns of the table of nodes; `metric` names the metric shown as the load."""
    return (
        Column('node', lambda node: node.node + (' differs' if node.agrees is False else ''),
               right=False),
        Column('state', lambda node: node.state, right=False,
               style=lambda node: STYLES.get(node.state, '')),
        Column('age', lambda node: 'never' if node.age is None else units.duration(node.age),
               omitted=7),
        Column('load', lambda node: load(node.load, metric)),
        Column('weight', lambda node: units.digits(node.weight, '.2f'), omitted=1),
        Column('dns', lambda node: units.share(node.dns)),
        Column('keep', lambda node: units.share(node.keep)),
        Column('take', lambda node: units.share(node.take)),
        Column('delegates\nper s', lambda node: units.per_second(sum(node.flows.values())),
               omitted=4),
        Column('cpu', lambda node: units.share(node.metrics.get('cpu')), omitted=2),
        Column('in\nflight', lambda node: units.digits(node.metrics.get('in_flight'), ',.0f')),
        Column('requests\nper s', lambda node: units.per_second(node.metrics.get('requests')),
               omitted=5),
        Column('response\ntime', lambda node: units.duration(node.metrics.get('response_time')),
               omitted=3),
        Column('reason', lambda node: node.reason, right=False, omitted=6))


def load(value, metric):
    """Return a load as text in the unit of its metric; under the metric `auto` it has no unit."""
    if metric in FRACTIONS:
        return units.share(value)
    return units.duration(value) if metric == 'response_time' else units.digits(value, '.3g')
