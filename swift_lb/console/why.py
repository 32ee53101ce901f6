"""`swift-lb why`: explain an order of replicas, a DNS answer, or a delegated request."""
import json

from rich.console import Group
from rich.table import Table
from rich.text import Text

from swift_lb.console import dispatch_why, dns_why, options, reading, terminal, units
from swift_lb.console.columns import GAP
from swift_lb.console.fetch import Source
from swift_lb.console.table import in_force
from swift_lb.errors import StatusError

COLUMNS = (  # title, function from a ReplicaPlace to its text
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
    """Declare the options of `why`."""
    about = parser.add_mutually_exclusive_group(required=True)
    about.add_argument('object', metavar='OBJECT', nargs='?',
                       help='ACCOUNT/CONTAINER/OBJECT, the names as they are, not URL-quoted')
    about.add_argument('--dns', metavar='NAME',
                       help='which addresses clients are told that ask DNS for NAME, and why')
    about.add_argument('--dispatch', metavar=('METHOD', 'PATH'), nargs=2,
                       help='by whom a request is served that comes to a proxy with a dispatcher, '
                            'and why; PATH as clients send it: /v1/ACCOUNT/CONTAINER/OBJECT')
    parser.add_argument('--url', type=options.url, action='append',
                        help=f'the proxy, http[s]://HOST[:PORT] (default: {options.DEFAULT_URL}), '
                             'with --dispatch as often as there are proxies to be asked; '
                             'with --dns the DNS service of a node (default: '
                             f'{dns_why.DEFAULT_URL}), and the key is that of its http_key')
    parser.add_argument('--client', metavar='ADDRESS',
                        help='with --dispatch: whose request it is (default: ours)')
    options.add_key(parser)
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Execute the command; return the exit status."""
    document, screen = known(args, options.key_of(args))
    with terminal.until_nobody_reads():
        if args.json:
            print(json.dumps(document, indent=1))
        else:
            terminal.print_plain(screen)
    return 0


def known(args, key):
    """Return (JSON-ready data, lines to print) about the subject of `args`."""
    if args.client is not None and args.dispatch is None:
        raise StatusError('--client is for --dispatch')
    if args.dispatch is not None:
        return dispatch_why.about_request(
            *args.dispatch, args.client, list(dict.fromkeys(args.url or [options.DEFAULT_URL])),
            key)
    if args.url and len(args.url) > 1:
        raise StatusError('several --url are for --dispatch')
    url = args.url and args.url[0]
    if args.dns is not None:
        return dns_why.about_name(args.dns, url, key)
    return about_object(args.object, url or options.DEFAULT_URL, key)


def about_object(name, url, key):
    """Return (JSON-ready data, lines to print) about an object's replicas."""
    page = Source(url, key).page(reading.object_path(name))
    if page.order is None:
        raise StatusError(f'{url} has a status page without the order of {name}')
    return reading.document(url, page), lines(url, page)


def lines(url, page):
    """Return the lines to print for a Page with an order."""
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
    """Return the rich Table of the replicas, in the order in which they would be tried."""
    drawn = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style='bold')
    for title, _text in (('', None), *COLUMNS):
        drawn.add_column(title, no_wrap=True,
                         justify='left' if title in TO_THE_LEFT else 'right')
    for number, place in enumerate(order.places, 1):
        drawn.add_row(*map(Text, (str(number), *(text(place) for _title, text in COLUMNS))))
    return drawn
