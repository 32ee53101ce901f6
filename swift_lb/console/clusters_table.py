"""The other clusters as lines of a terminal, or as JSON: `swift-lb top --clusters`."""
from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.table import rows_screen

FORMAT = 1      # of the JSON document


def screen(view, hint, width=None, height=None):
    """Return a ClusterView of a ClustersPage as a rich Group of `width` by `height` characters.

    None is no limit. The first line ends with `hint`, such as the key that quits.
    """
    rows = sorted(view.page.clusters, key=lambda one: (one.state == 'up', one.cluster))
    return rows_screen(header(view, hint), rows, 'cluster', COLUMNS, width, height)


def header(view, hint):
    """Yield (line, rich style) for each line above the table; `hint` ends the first."""
    page = view.page
    up = sum(one.state == 'up' for one in page.clusters)
    yield (f'{view.url}, agent of {page.node} in cluster {page.here or "-"}   '
           f'{up} of {units.plural(len(page.clusters), "other cluster")} up   {hint}', '')
    if view.unanswered:
        yield f'{view.unanswered}; the table is {units.duration(view.age)} old', 'bold red'
    if page.cut_off:
        yield ('cut off: more than half of the other clusters are silent, so no request leaves '
               'this one', 'bold red')
    if page.here is None:
        yield 'this host belongs to no group of clusters: its conf has no [lb-cluster]', ''
    if page.refused:
        yield 'summaries refused: ' + ', '.join(
            f'{count} {reason}' for reason, count in page.refused.items()), 'yellow'


def heads(one):
    """Return the seconds until a head at an OtherCluster, by class of content, as text."""
    return ' '.join(f'{content} {units.duration(seconds)}'
                    for content, seconds in sorted(one.times.items()))


COLUMNS = (
    Column('cluster', lambda one: one.cluster, right=False),
    Column('state', lambda one: one.state, right=False,
           style=lambda one: 'green' if one.state == 'up' else 'bold magenta'),
    Column('age', lambda one: 'never' if one.age is None else units.duration(one.age)),
    Column('region', lambda one: units.digits(one.region or None, '.0f'), omitted=2),
    Column('nodes\nup', lambda one: units.digits(one.nodes, '.0f')),
    Column('average\nload', lambda one: units.digits(one.load, '.3g')),
    Column('lowest\nload', lambda one: units.digits(one.least_load, '.3g'), omitted=5),
    Column('round\ntrip', lambda one: units.duration(one.rtt)),
    Column('error', lambda one: units.duration(one.rtt_error), omitted=7),
    Column('lost', lambda one: units.share(one.lost)),
    Column('bandwidth', lambda one: units.throughput(one.bandwidth)),
    Column('error', lambda one: units.throughput(one.bandwidth_error), omitted=6),
    Column('takes\nper s', lambda one: units.per_second(one.credit)),
    Column('gets\nper s', lambda one: units.per_second(one.granted), omitted=4),
    Column('sent\nper s', lambda one: units.per_second(one.fetched + one.redirected)),
    Column('pre-\ndicted', lambda one: units.duration(one.predicted), omitted=8),
    Column('mea-\nsured', lambda one: units.duration(one.measured), omitted=9),
    Column('head there', heads, right=False, omitted=3),
    Column('relays', lambda one: ' '.join(one.relays), right=False, omitted=1))


def document(view):
    """Return what `top --clusters --json` prints: seconds, fractions, and None for unknown."""
    clusters = [one._asdict() for one in view.page.clusters]
    return {'format': FORMAT, 'url': view.url, 'age': view.age, 'unanswered': view.unanswered,
            'clusters': view.page._asdict() | {'clusters': clusters}}
