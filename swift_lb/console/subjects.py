"""What `top` may watch: devices through proxies, or nodes through an agent."""
from swift_lb import clock
from swift_lb.console import cluster_table, cluster_watch, document, options, table
from swift_lb.console.book_file import BookFile
from swift_lb.console.fetch import Source
from swift_lb.console.watch import Watch
from swift_lb.errors import StatusError


class Devices:
    """What proxies know of devices."""

    def __init__(self, args):
        self._index, self._sort = args.policy, args.sort or 'rate'
        watch = Watch(sources(args), args.interval, args.policy, clock.monotonic)
        self.look = watch.look

    def document(self, view):
        """Return a view for programs."""
        return document.document(view, self._index, self._sort)

    def screen(self, view, *place):
        """Return what to draw of a view: `place` is the hint, and the terminal's size if any."""
        return table.screen(view, self._index, self._sort, *place)


class Cluster:
    """What an agent knows of nodes."""

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
    """Return what `args` say to look at: a file, or proxies."""
    if args.book is not None:
        if args.url:
            raise StatusError('either --book or --url')
        return [BookFile(args.book)]
    key = options.key_of(args)
    return [Source(url, key) for url in dict.fromkeys(args.url or [options.DEFAULT_URL])]
