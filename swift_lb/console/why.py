"""`swift-lb why`: explain the order in which a read of one object would try its replicas now."""
import json

from rich.console import Group
from rich.table import Table
from rich.text import Text

from swift_lb.console import options, reading, terminal, units
from swift_lb.console.columns import GAP
from swift_lb.console.fetch import Source
from swift_lb.console.table import in_force
from swift_lb.errors import StatusError

COLUMNS = (  # title, text of a Place
    ('node', lambda place: place.node),
    ('in flight', lambda place: units.count(place.facts.in_flight)),
    ('oldest wait', lambda place: units.duration(place.facts.oldest_wait)),
    ('first byte', lambda place: units.duration(place.facts.first_byte_time)),
    ('last chunk', lambda place: units.throughput(place.facts.last_throughput)),
    ('its age', lambda place: units.duration(place.facts.last_chunk_age)),
    ('chunks', lambda place: units.count(place.facts.chunks)),
    ('errors', lambda place: units.count(place.facts.errors)),
    ('timeouts', lambda place: units.count(place.facts.timeouts)),
    ('why', lambda place: ('error-limited, Swift skips it; ' if place.error_limited else '')
        + place.why),
)
TO_THE_LEFT = ('node', 'why')


def add_arguments(parser):
    """Add the options of `why`."""
    parser.add_argument('object', metavar='OBJECT',
                        help='ACCOUNT/CONTAINER/OBJECT, the names as they are, not URL-quoted')
    parser.add_argument('--url', type=options.url, default=options.DEFAULT_URL,
                        help='the proxy, http[s]://HOST[:PORT] (default: %(default)s)')
    options.add_key(parser)
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Do what `args` says; return the exit status."""
    path = reading.object_path(args.object)
    page = Source(args.url, options.key_of(args)).page(path)
    if page.order is None:
        raise StatusError(f'{args.url} has a status page without the order of {args.object}')
    with terminal.until_nobody_reads():
        if args.json:
            print(json.dumps(reading.document(args.url, page), indent=1))
        else:
            terminal.print_plain(lines(args.url, page))
    return 0


def lines(url, page):
    """Return what to print of a Page with an order."""
    order, policy = page.order, page.policy(page.order.storage_policy)
    return Group(
        Text(f'{order.path}: storage policy {order.storage_policy}, partition {order.partition}, '
             f'policy {in_force([policy])}'),
        Text(_whose(url, page)),
        table(order), Text(reading.sentence(order, policy)))


def _whose(url, page):
    if page.book:
        return (f'as the book of {units.plural(page.workers, "worker")} of {url} knows the nodes '
                f'({page.book.path})')
    return (f'as worker {page.worker} (pid {page.pid}) of {url} knows the nodes; it has a book of '
            'its own')


def table(order):
    """Return the Table of the replicas, in the order in which they would be tried."""
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style='bold')
    for title, _text in (('', None), *COLUMNS):
        drawn.add_column(title, no_wrap=True,
                         justify='left' if title in TO_THE_LEFT else 'right')
    for number, place in enumerate(order.places, 1):
        drawn.add_row(*map(Text, (str(number), *(text(place) for _title, text in COLUMNS))))
    return drawn
