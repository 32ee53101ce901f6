"""`swift-lb top`: show the devices as the proxies know them, or the nodes as an agent does, live.
"""
import contextlib
import json
import queue
import sys
import threading

from swift_lb import clock
from swift_lb.console import cluster_watch, options, terminal
from swift_lb.console.sorting import SORTS
from swift_lb.console.subjects import TopDevices, TopNodes

KEY_WAIT = 0.1      # seconds between checks for a new view or another size of the terminal


def add_arguments(parser):
    """Declare the options of `top`."""
    parser.add_argument('--url', nargs='+', action='extend', type=options.url, metavar='URL',
                        help='proxies, each http[s]://HOST[:PORT], and not a balancer in front '
                             f'(default: {options.DEFAULT_URL}); with --cluster an agent '
                             f'(default: {cluster_watch.DEFAULT_URL})')
    parser.add_argument('--cluster', action='store_true',
                        help="show the nodes as one node's agent knows them: their loads and "
                             'shares, and why; the key is then that of the agent')
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
    """Execute the command; return the exit status."""
    subject = TopNodes(args) if args.cluster else TopDevices(args)
    with contextlib.suppress(KeyboardInterrupt), terminal.until_nobody_reads():
        if args.once:
            show(subject, args)
        elif args.json or not terminal.is_terminal(sys.stdout):
            stream(subject, args)
        else:
            live(subject, args)
    return 0


def show(subject, args):
    """Poll once, and print the view as plain lines or as JSON."""
    view = subject.look()
    if args.json:
        print(json.dumps(subject.document(view), indent=1 if args.once else None), flush=True)
    else:
        terminal.print_plain(subject.screen(view, ''))


def stream(subject, args):
    """Print a view each interval, for ever."""
    while True:
        show(subject, args)
        if not args.json:
            print(flush=True)
        clock.sleep(args.interval)


def live(subject, args):
    """Show the newest view on the terminal until q is pressed."""
    views = queue.SimpleQueue()
    threading.Thread(target=_look_on, args=(subject, args.interval, views), daemon=True).start()
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


def _look_on(subject, interval, views):
    """Put views into the queue `views` for ever; an exception is put there too, and ends it."""
    try:
        while True:
            views.put(subject.look())
            clock.sleep(interval)
    except Exception as err:
        views.put(err)


def _result(found):
    if isinstance(found, Exception):
        raise found
    return found
