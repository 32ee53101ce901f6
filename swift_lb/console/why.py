"""`swift-lb why`: explain an order of replicas, a DNS answer, a route, or a part of an image."""
import json

from swift_lb.chains.chain import Task
from swift_lb.console import (
    dispatch_why,
    dns_why,
    object_why,
    options,
    routes_page,
    routes_why,
    terminal,
)
from swift_lb.console.image import why as image_why
from swift_lb.errors import StatusError


def add_arguments(parser):
    """Declare the options of `why`."""
    about = parser.add_mutually_exclusive_group(required=True)
    about.add_argument('object', metavar='OBJECT', nargs='?',
                       help='ACCOUNT/CONTAINER/OBJECT, the names as they are, not URL-quoted')
    about.add_argument('--dns', metavar='NAME',
                       help='which addresses DNS answers for NAME, and why')
    about.add_argument('--dispatch', metavar=('METHOD', 'PATH'), nargs=2,
                       help='which proxy serves a request that a proxy with a dispatcher receives, '
                            'and why; PATH as clients send it: /v1/ACCOUNT/CONTAINER/OBJECT')
    about.add_argument('--clusters', metavar=('METHOD', 'PATH'), nargs=2,
                       help='by which route a proxy serves a read, GET or HEAD: in this cluster, '
                            'fetched from another one, or redirected there; and why')
    about.add_argument('--image', metavar='CONTAINER/OBJECT',
                       help='at which point a part of an image is made, and by which cluster; the '
                            'account is that of OS_STORAGE_URL')
    parser.add_argument('--region', type=options.region, metavar='X,Y,WIDTH,HEIGHT',
                        help='with --image: of the full resolution (default: the whole image)')
    parser.add_argument('--reduce', type=int, default=0, metavar='N',
                        help='with --image: halvings of the resolution (default: 0)')
    parser.add_argument('--says', metavar='TEXT',
                        help='with --image: the header X-Lb-Client (default: what `swift-lb image` '
                             'of this machine would say)')
    parser.add_argument('--url', type=options.url, action='append',
                        help=f'the proxy, http[s]://HOST[:PORT] (default: {options.DEFAULT_URL}), '
                             'with --dispatch and --clusters as often as there are proxies '
                             'to be asked; '
                             'with --dns the DNS service of a node (default: '
                             f'{dns_why.DEFAULT_URL}), and the key is that of its http_key')
    parser.add_argument('--client', metavar='ADDRESS',
                        help='with --dispatch, --clusters: whose request it is (default: ours)')
    parser.add_argument('--size', metavar='BYTES', type=routes_why.size,
                        help='with --clusters: of the object (default: as the proxy knows it)')
    parser.add_argument('--moment', choices=routes_page.MOMENTS,
                        help='with --clusters: before it is read here, after its head is known '
                             'here, or as it is absent here (default: early if possible, else '
                             'late)')
    parser.add_argument('--follows', action='store_true',
                        help='with --clusters: the client is known to follow redirects')
    options.add_key(parser)
    parser.add_argument('--json', action='store_true', help='for programs')


def run(args):
    """Execute `swift-lb why` with the parsed options `args`; return the exit status."""
    document, screen = known(args, options.key_of(args))
    with terminal.until_stdout_closes():
        if args.json:
            print(json.dumps(document, indent=1))
        else:
            terminal.print_plain(screen)
    return 0


def known(args, key):
    """Return (JSON-ready data, lines to print) about the object, DNS name or request in `args`.

    `key` is the secret of the status pages, or None.
    """
    if args.image is not None:
        if any((args.url, key, args.client, args.size, args.moment, args.follows)):
            raise StatusError('only --region, --reduce, --says and --json are for --image, which '
                              'asks the proxy of OS_STORAGE_URL')
        return image_why.about_image(args.image, Task(args.region, args.reduce), args.says)
    if args.region or args.reduce or args.says is not None:
        raise StatusError('--region, --reduce and --says are for --image')
    urls = list(dict.fromkeys(args.url or [options.DEFAULT_URL]))
    if args.clusters is not None:
        return routes_why.about_read(*args.clusters, args, urls, key)
    if args.size is not None or args.moment or args.follows:
        raise StatusError('--size, --moment and --follows are for --clusters')
    if args.dispatch is not None:
        return dispatch_why.about_request(*args.dispatch, args.client, urls, key)
    if args.client is not None:
        raise StatusError('--client is for --dispatch and --clusters')
    if len(urls) > 1:
        raise StatusError('several --url are for --dispatch and --clusters')
    url = args.url and args.url[0]
    if args.dns is not None:
        return dns_why.about_name(args.dns, url, key)
    return object_why.about_object(args.object, url or options.DEFAULT_URL, key)
