"""`swift-lb top`: watch what the workers of some proxies know of each device."""
import contextlib
import json
import queue
import sys
import threading

from swift_lb import clock
from swift_lb.console import options, terminal
from swift_lb.console.book_file import BookFile
from swift_lb.console.document import document
from swift_lb.console.fetch import Source
from swift_lb.console.sorting import SORTS
from swift_lb.console.table import screen
from swift_lb.console.watch import Watch
from swift_lb.errors import StatusError

KEY_WAIT = 0.1      # seconds between two looks for a new view or another size of the terminal


def add_arguments(parser):
    """Add the options of `top`."""
    parser.add_argument('--url', nargs='+', action='extend', type=options.url, metavar='URL',
                        help='proxies, each http[s]://HOST[:PORT], and not a balancer in front '
                             f'(default: {options.DEFAULT_URL})')
    parser.add_argument('--book', metavar='FILE',
                        help="read a host's book, as named by its status page, and ask no proxy")
    options.add_key(parser)
    parser.add_argument('--interval', type=options.interval, default=1.0, metavar='TIME',
                        help='between two looks, e.g. 500ms (default: 1s)')
    parser.add_argument('--policy', type=options.storage_policy, metavar='INDEX',
                        help='the storage policy whose reasons are shown (default: those of all '
                             'storage policies without a section of their own)')
    parser.add_argument('--sort', choices=SORTS, default='rate',
                        help='(default: rate, of choices per second)')
    parser.add_argument('--once', action='store_true', help='print what is known now, and end')
    parser.add_argument('--json', action='store_true',
                        help='for programs: a document a line; with --once, one over many lines')


def run(args):
    """Do what `args` says; return the exit status."""
    watch = Watch(sources(args), args.interval, args.policy, clock.monotonic)
    with contextlib.suppress(KeyboardInterrupt), terminal.until_nobody_reads():
        if args.once:
            show(watch.look(), args)
        elif args.json or not terminal.is_terminal(sys.stdout):
            stream(watch, args)
        else:
            live(watch, args)
    return 0


def sources(args):
    """Return what `args` say to look at: a file, or proxies."""
    if args.book is not None:
        if args.url:
            raise StatusError('either --book or --url')
        return [BookFile(args.book)]
    key = options.key_of(args)
    return [Source(url, key) for url in dict.fromkeys(args.url or [options.DEFAULT_URL])]


def show(view, args):
    """Print one view as plain lines or as JSON."""
    if args.json:
        print(json.dumps(document(view, args.policy, args.sort), indent=1 if args.once else None),
              flush=True)
    else:
        terminal.print_plain(screen(view, args.policy, args.sort, ''))


def stream(watch, args):
    """Print a view each interval, for ever."""
    while True:
        show(watch.look(), args)
        if not args.json:
            print(flush=True)
        clock.sleep(args.interval)


def live(watch, args):
    """Show the newest view on the terminal until q is pressed."""
    views = queue.SimpleQueue()
    threading.Thread(target=_look_on, args=(watch, args.interval, views), daemon=True).start()
    first = _result(views.get())  # before the screen is taken: a wrong URL is said on the old one
    with terminal.full_screen() as (console, screen_of, keys):
        view, drawn = first, None
        while 'q' not in keys.wait(0 if drawn is None else KEY_WAIT).lower():
            if not views.empty():
                view, drawn = _result(views.get()), None
            if drawn != console.size:
                drawn = console.size
                screen_of.update(_fitted(view, args, drawn), refresh=True)


def _fitted(view, args, size):
    hint = f'every {args.interval:g} s   q quits'
    return screen(view, args.policy, args.sort, hint, size.width, size.height)


def _look_on(watch, interval, views):
    """Put views into the queue `views` for ever; what goes wrong ends it, and is put there too."""
    try:
        while True:
            views.put(watch.look())
            clock.sleep(interval)
    except Exception as err:
        views.put(err)


def _result(found):
    if isinstance(found, Exception):
        raise found
    return found
