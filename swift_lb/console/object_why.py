"""In which order the replicas of an object are read, and why: as sentences, lines and JSON."""
from rich.console import Group
from rich.text import Text

from swift_lb.console import units
from swift_lb.console.columns import Column
from swift_lb.console.fetch import Source
from swift_lb.console.table import in_force, table
from swift_lb.console.units import plural
from swift_lb.errors import StatusError

DRAWN = frozenset(('shuffle', 'weighted'))  # policies that order at random each time
COLUMNS = (  # of (number in the order, ReplicaPlace)
    Column('', lambda row: f'{row[0]}'),
    Column('node', lambda row: row[1].node, right=False),
    Column('in flight', lambda row: units.count(row[1].facts.in_flight)),
    Column('oldest wait', lambda row: units.duration(row[1].facts.oldest_wait)),
    Column('first byte', lambda row: units.duration(row[1].facts.first_byte_time)),
    Column('last chunk', lambda row: units.throughput(row[1].facts.last_throughput)),
    Column('its age', lambda row: units.duration(row[1].facts.last_chunk_age)),
    Column('chunks', lambda row: units.count(row[1].facts.chunks)),
    Column('errors', lambda row: units.count(row[1].facts.errors)),
    Column('timeouts', lambda row: units.count(row[1].facts.timeouts)),
    Column('why', lambda row: _why(row[1]), right=False))


def _why(place):
    return ('error-limited, Swift skips it; ' if place.error_limited else '') + place.why


def object_path(text):
    """Return /ACCOUNT/CONTAINER/OBJECT from a typed path; raises StatusError if it is invalid.

    A leading slash or /v1 is optional. Names are used as typed: nothing is unquoted.
    """
    path = text.removeprefix('/')
    if path.startswith('v1/') and path.count('/') > 2:
        path = path.removeprefix('v1/')
    parts = path.split('/', 2)
    if len(parts) < 3 or not all(parts):
        raise StatusError(f'{text!r} must be ACCOUNT/CONTAINER/OBJECT, e.g. AUTH_test/photos/cat')
    try:
        path.encode()
    except UnicodeEncodeError:
        raise StatusError(f'{text!r} is not UTF-8, as all names in Swift are') from None
    return '/' + path


def sentence(order, policy):
    """Return a sentence on which node of the Order a read tries first under the Policy, and why."""
    if not policy.enabled:
        return ('first: whichever Swift itself takes, because lb_enabled is false for storage '
                f'policy {order.storage_policy}')
    left = [place for place in order.places if not place.error_limited]
    if not left:
        return ('first: no replica, because all of them are error-limited; Swift goes on to '
                'handoffs')
    first, skipped = left[0], order.places.index(left[0])
    choice = (f'first: {first.node}, this time ({first.why}): each read draws anew'
              if policy.name in DRAWN else f'first: {first.node} because {first.why}')
    return choice + (f'; {plural(skipped, "node")} before it {"is" if skipped == 1 else "are"} '
                   'skipped as error-limited' if skipped else '')


def document(url, page):
    """Return what `why --json` prints of a Page: seconds, bytes per second; None is unknown."""
    order, policy = page.order, page.policy(page.order.storage_policy)
    return {
        'format': 1, 'url': url, 'pid': page.pid, 'worker': page.worker,
        'path': order.path, 'storage_policy': order.storage_policy, 'partition': order.partition,
        'policy': policy._asdict(),
        'order': [{'node': place.node, 'error_limited': place.error_limited, 'why': place.why}
                  | place.facts._asdict() for place in order.places],
        'sentence': sentence(order, policy),
    }


def about_object(name, url, key):
    """Return (JSON-ready data, lines to print) about the order of an object's replicas.

    `name` is ACCOUNT/CONTAINER/OBJECT; `url` and `key` are those of the proxy that is asked.
    """
    page = Source(url, key).page(object_path(name))
    if page.order is None:
        raise StatusError(f'{url} has a status page without the order of {name}')
    return document(url, page), lines(url, page)


def lines(url, page):
    """Return what `why` prints of a Page with the order of an object's replicas, a rich Group."""
    order, policy = page.order, page.policy(page.order.storage_policy)
    return Group(
        Text(f'{order.path}: storage policy {order.storage_policy}, partition {order.partition}, '
             f'policy {in_force([policy])}'),
        Text(_whose(url, page)),
        table([*enumerate(order.places, 1)], None, COLUMNS), Text(sentence(order, policy)))


def _whose(url, page):
    if page.book:
        return (f'as the book of {plural(page.workers, "worker")} of {url} knows the nodes '
                f'({page.book.path})')
    return (f'as worker {page.worker} (pid {page.pid}) of {url} knows the nodes; it has a book of '
            'its own')
