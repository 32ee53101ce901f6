"""The subjects of `top`: devices as proxies know them, or nodes as an agent knows them."""
from swift_lb import clock
from swift_lb.console import cluster_table, cluster_watch, document, options, table
from swift_lb.console.book_file import BookFile
from swift_lb.console.fetch import Source
from swift_lb.console.watch import ProxyWatch
from swift_lb.errors import StatusError


class TopDevices:
    """The devices, as proxies know them."""

    def __init__(self, args):
        self._index, self._sort = args.policy, args.sort or 'rate'
        watch = ProxyWatch(sources(args), args.interval, args.policy, clock.monotonic)
        self.look = watch.look

    def document(self, view):
        """Return a view as JSON-ready data."""
        return document.document(view, self._index, self._sort)

    def screen(self, view, *place):
        """Return the renderable of a view.

        `place` is the hint and the size of the terminal, if any.
        """
        return table.screen(view, self._index, self._sort, *place)


class TopNodes:
    """The nodes, as an agent knows them."""

    document = staticmethod(cluster_watch.document)
    screen = staticmethod(cluster_table.screen)

    def __init__(self, args):
        if args.book or args.sort or args.policy is not None:
            raise StatusError('--book, --policy and --sort are not for --cluster')
        urls = args.url or [cluster_watch.DEFAULT_URL]
        if len(urls) > 1:
            raise StatusError('--cluster takes one --url: each agent knows all nodes')
        agent = cluster_watch.AgentClient(urls[0], options.key_of(args))
        self.look = cluster_watch.ClusterWatch(agent, clock.monotonic).look


def sources(args):
    """Return the sources that `args` name: a book's file, or proxies."""
    if args.book is not None:
        if args.url:
            raise StatusError('either --book or --url')
        return [BookFile(args.book)]
    key = options.key_of(args)
    return [Source(url, key) for url in dict.fromkeys(args.url or [options.DEFAULT_URL])]
