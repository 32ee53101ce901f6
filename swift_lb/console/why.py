"""`swift-lb why`: explain in which order a read would try an object's replicas; or a DNS answer."""
import json

from rich.console import Group
from rich.table import Table
from rich.text import Text

from swift_lb.console import dns_why, options, reading, terminal, units
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
    about = parser.add_mutually_exclusive_group(required=True)
    about.add_argument('object', metavar='OBJECT', nargs='?',
                       help='ACCOUNT/CONTAINER/OBJECT, the names as they are, not URL-quoted')
    about.add_argument('--dns', metavar='NAME',
                       help='which addresses clients are told that ask DNS for NAME, and why')
    parser.add_argument('--url', type=options.url,
                        help=f'the proxy, http[s]://HOST[:PORT] (default: {options.DEFAULT_URL}); '
                             'with --dns the DNS service of a node (default: '
                             f'{dns_why.DEFAULT_URL}), and the key is that of its http_key')
    options.add_key(parser)
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Do what `args` says; return the exit status."""
    document, screen = about_object(args) if args.dns is None else dns_why.about_name(
        args.dns, args.url, options.key_of(args))
    with terminal.until_nobody_reads():
        if args.json:
            print(json.dumps(document, indent=1))
        else:
            terminal.print_plain(screen)
    return 0


def about_object(args):
    """Return (what is known as JSON-ready data, what to print) of an object's replicas."""
    url, path = args.url or options.DEFAULT_URL, reading.object_path(args.object)
    page = Source(url, options.key_of(args)).page(path)
    if page.order is None:
        raise StatusError(f'{url} has a status page without the order of {args.object}')
    return reading.document(url, page), lines(url, page)


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
