"""`swift-lb why`: explain an order of replicas, a DNS answer, or a delegated request."""
import json

from swift_lb.console import dispatch_why, dns_why, object_why, options, terminal
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
    return object_why.about_object(args.object, url or options.DEFAULT_URL, key)
