"""The summary of this agent's cluster, from which those for other clusters are made.

A summary has no room for all links and client paths, and tells three relays at most: each begins at
another place of each list than the one before, so that all are told within some rounds.
"""
from types import MappingProxyType

from swift_lb.model import ClientPath, ClusterSummary
from swift_lb.plan.image_states import joined
from swift_lb.plan.shares import mean
from swift_lb.wire import cluster_summary
from swift_lb.wire.cluster_summary import MAX_RELAYS

NO_IMAGES = MappingProxyType({})
TOLD_PATHS = 8          # of a summary: so many fit beside the echoes for one cluster


class OwnSummaries:
    """Makes the summaries of one agent, one after the other."""

    def __init__(self, node, epoch):
        """Take the name of this node, and the epoch of its agent."""
        self.epoch, self.sequence = epoch, 0
        self._node = node
        self._begins = [0, 0]               # where the next links and paths begin

    def next(self, options, up, observed, links, wall, credits=(), ring='', images=NO_IMAGES):
        """Return (payload, ClusterSummary) of the next summary.

        The ClusterSummary is without the links and paths for which the payload had no room.
        `options` are ClusterOptions; `up` are the NodeInstructions of the nodes that count;
        `observed` are ClusterObservations, `links` ClusterLinks; `wall` is the time of day;
        `credits` are {cluster: requests per second}, and `ring` is the digest of this host's Swift;
        `images` are {node: ImageState}.
        """
        self.sequence += 1
        loads = [one.load for one in up if one.load is not None]
        links, paths = [rotated(rows, begin) for rows, begin in zip(
            (links, known_paths(observed)), self._begins, strict=True)]
        relays, asked = self._relays(options.relays, up)
        payload = cluster_summary.encode(ClusterSummary(
            options.name, self._node, self.epoch, self.sequence, wall, options.interval,
            options.url, len(up), mean(loads), min(loads, default=None), relays,
            observed.times([one.node for one in up], asked), largest_first(dict(credits)), ring,
            options.region, links=links, paths=paths[:TOLD_PATHS],
            image=joined(images.get(one.node) for one in up)))
        told = cluster_summary.decode(payload)
        self._begins = [begin + len(part) for begin, part in zip(
            self._begins, (told.links, told.paths), strict=True)]
        return payload, told

    def _relays(self, fixed, up):
        """Return (texts of at most MAX_RELAYS addresses, names of the nodes that they lead to).

        The addresses are those in `fixed`, another one first each time; if there are none, the
        least loaded proxies of the nodes `up`.
        """
        if fixed:
            return rotated(fixed, self.sequence)[:MAX_RELAYS], [one.node for one in up]
        proxies = sorted((one.load is None, one.load, one.node, one.proxy)
                         for one in up if one.proxy)[:MAX_RELAYS]
        return tuple(proxy for *_, proxy in proxies), [node for *_, node, _proxy in proxies]


def known_paths(observed):
    """Return the ClientPaths of known bandwidth in ClusterObservations, the busiest first."""
    return [ClientPath(path.network, path.rtt, path.bandwidth)
            for path in observed.paths.busiest() if path.bandwidth is not None]


def rotated(rows, begin):
    """Return `rows` as a tuple that begins at row `begin` modulo their number."""
    rows = tuple(rows)
    place = begin % len(rows) if rows else 0
    return rows[place:] + rows[:place]


def largest_first(credits):
    """Return ((cluster, requests per second), ...) of credits above 0, the largest first."""
    return tuple(sorted(((cluster, rate) for cluster, rate in credits.items() if rate > 0),
                        key=lambda pair: (-pair[1], pair[0])))
