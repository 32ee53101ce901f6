"""`swift-lb top`: show the devices as the proxies know them, or the nodes as an agent does, live.
"""
import contextlib
import json
import queue
import sys
import threading

from swift_lb import clock
from swift_lb.console import cluster_table, clusters_page, clusters_table, options, table, terminal
from swift_lb.console.fetch import BookFile, Source
from swift_lb.console.table import SORTS
from swift_lb.console.watch import (
    CLUSTERS,
    DEFAULT_URL,
    AgentClient,
    ClusterWatch,
    ProxyWatch,
    cluster_document,
)
from swift_lb.errors import StatusError

KEY_WAIT = 0.1      # seconds between checks for a new view or another size of the terminal


def add_arguments(parser):
    """Declare the options of `top`."""
    parser.add_argument('--url', nargs='+', action='extend', type=options.url, metavar='URL',
                        help='proxies, each http[s]://HOST[:PORT], and not a balancer in front '
                             f'(default: {options.DEFAULT_URL}); with --cluster an agent '
                             f'(default: {DEFAULT_URL})')
    parser.add_argument('--cluster', action='store_true',
                        help="show the nodes as one node's agent knows them: their loads and "
                             'shares, and why; the key is then that of the agent')
    parser.add_argument('--clusters', action='store_true',
                        help="show the other clusters as one node's agent knows them")
    parser.add_argument('--book', metavar='FILE',
                        help="read a host's book, as named by its status page, and ask no proxy")
    options.add_key(parser)
    parser.add_argument('--interval', type=options.interval, default=1.0, metavar='TIME',
                        help='between two looks, e.g. 500ms (default: 1s)')
    parser.add_argument('--policy', type=options.storage_policy, metavar='INDEX',
                        help='the storage policy whose reasons are shown (default: those of all '
                             'storage policies without a section of their own)')
    parser.add_argument('--sort', choices=SORTS, help='(default: rate, of choices per second)')
    parser.add_argument('--once', action='store_true', help='print what is known now, and end')
    parser.add_argument('--json', action='store_true',
                        help='for programs: a document a line; with --once, one over many lines')


def run(args):
    """Execute `swift-lb top` with the parsed options `args`; return the exit status."""
    subject = (TopClusters if args.clusters else TopNodes if args.cluster else TopDevices)(args)
    with contextlib.suppress(KeyboardInterrupt), terminal.until_stdout_closes():
        if args.once:
            show(subject, args)
        elif args.json or not terminal.is_terminal(sys.stdout):
            stream(subject, args)
        else:
            live(subject, args)
    return 0


def show(subject, args):
    """Poll the `subject`, TopDevices or TopNodes, once; print its view as plain lines or JSON."""
    view = subject.refresh()
    if args.json:
        print(json.dumps(subject.document(view), indent=1 if args.once else None), flush=True)
    else:
        terminal.print_plain(subject.screen(view, ''))


def stream(subject, args):
    """Print a view of the `subject`, TopDevices or TopNodes, at each interval, for ever."""
    while True:
        show(subject, args)
        if not args.json:
            print(flush=True)
        clock.sleep(args.interval)


def live(subject, args):
    """Show the newest view of the `subject`, TopDevices or TopNodes, until q is pressed."""
    views = queue.SimpleQueue()
    threading.Thread(target=_poll_on, args=(subject, args.interval, views), daemon=True).start()
    first = _result(views.get())  # before the alternate screen: an error must stay visible
    with terminal.full_screen() as (console, screen_of, keys):
        view, drawn = first, None
        while 'q' not in keys.wait(0 if drawn is None else KEY_WAIT).lower():
            if not views.empty():
                view, drawn = _result(views.get()), None
            if drawn != console.size:
                drawn = console.size
                screen_of.update(_fitted(subject, view, args, drawn), refresh=True)


def _fitted(subject, view, args, size):
    hint = f'every {args.interval:g} s   q quits'
    return subject.screen(view, hint, size.width, size.height)


def _poll_on(subject, interval, views):
    """Poll each `interval` seconds and put the view into the queue `views`, until an exception.

    The exception is put into the queue as well.
    """
    try:
        while True:
            views.put(subject.refresh())
            clock.sleep(interval)
    except Exception as err:
        views.put(err)


def _result(result):
    if isinstance(result, Exception):
        raise result
    return result


class TopDevices:
    """What `top` shows by default: the devices, as the proxies have measured them."""

    def __init__(self, args):
        self._index, self._sort = args.policy, args.sort or 'rate'
        watch = ProxyWatch(sources(args), args.interval, args.policy, clock.monotonic)
        self.refresh = watch.refresh

    def document(self, view):
        """Return a View as the JSON-ready data that `top --json` prints."""
        return table.document(view, self._index, self._sort)

    def screen(self, view, *place):
        """Return a View as a rich Group.

        `place` is the end of the first line and, on a terminal, its width and height in
        characters.
        """
        return table.screen(view, self._index, self._sort, *place)


class TopNodes:
    """What `top --cluster` shows: the nodes, as an agent knows them."""

    document = staticmethod(cluster_document)
    screen = staticmethod(cluster_table.screen)

    def __init__(self, args):
        agent = AgentClient(agent_url(args, '--cluster', 'nodes'), options.key_of(args))
        self.refresh = ClusterWatch(agent, clock.monotonic).refresh


class TopClusters:
    """What `top --clusters` shows: the other clusters, as an agent knows them."""

    document = staticmethod(clusters_table.document)
    screen = staticmethod(clusters_table.screen)

    def __init__(self, args):
        agent = AgentClient(agent_url(args, '--clusters', 'clusters'), options.key_of(args),
                            CLUSTERS, clusters_page.parse)
        self.refresh = ClusterWatch(agent, clock.monotonic).refresh


def agent_url(args, option, what):
    """Return the URL of the agent that `option` asks about `what`.

    Raises StatusError if `args` has options that do not go with it.
    """
    if args.book or args.sort or args.policy is not None:
        raise StatusError(f'--book, --policy and --sort are not for {option}')
    urls = args.url or [DEFAULT_URL]
    if len(urls) > 1:
        raise StatusError(f'{option} takes one --url: each agent knows all {what}')
    return urls[0]


def sources(args):
    """Return what `top` polls, as `args` say: one BookFile, or a Source for each proxy."""
    if args.book is not None:
        if args.url:
            raise StatusError('either --book or --url')
        return [BookFile(args.book)]
    key = options.key_of(args)
    return [Source(url, key) for url in dict.fromkeys(args.url or [options.DEFAULT_URL])]
