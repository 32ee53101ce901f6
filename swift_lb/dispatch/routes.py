"""The routes of one read, with the predicted seconds of each. Pure.

Each route has the cost of dispatch/cost.py. Its inputs, and the errors of their forecasts:

    s_j     the TimeForecast of the class of content at j, and its `step` for each of the `more`
            reads that this worker has there now, more than usual (away.py):
            max(LEAST x seconds, seconds + step x more). `step` is a slope towards more requests;
            towards fewer ones, and so a negative `more`, it is less
    R_hj    rtt, and B_hj, bandwidth, of the ClusterLink from here to j
            A client whose round trip from j is BEYOND x R_hj or more is reached over this link: it
            carries at least the bandwidth of the ClientPath
    R_cj    the ClientPath from j to the client's network. Unknown: by way of here, R_ch + R_hj and
            the lesser of B_ch and B_hj, so that what is unknown is never best

    error   of s_j + R_hj's x (its round trips) + t x (B_hj's error / B_hj), t = S / B_hj
            An unknown error, as after a single sample, counts as half of the forecast itself.
            A bandwidth that is the ClientPath's has none: it is what the path has carried

    same_link   of LOCAL, if Swift reads the data from another region, and of a fetch from there.
            Both have the same s_j, R_hj and B_hj. If the fetch is predicted to be sooner, that is
            because it has fewer round trips: so it is sooner whatever these three are, and its
            error is no larger than that of LOCAL

A cluster without a TimeForecast, or without a ClusterLink whose bandwidth is known, has no route.
"""
import math
from typing import NamedTuple

from swift_lb.dispatch import cost
from swift_lb.dispatch.cost import Way
from swift_lb.model import FETCH, LOCAL, REDIRECT, Route, RouteCost

BEYOND = 0.8            # R_hj includes the queues of other bodies, round trips of paths do not
LEAST = 0.5             # at twice the knee (plan/knee.py) a request takes twice as long as at the
#                         knee; so fewer reads make the seconds half as long at most
UNSURE = 0.5            # the error of a forecast whose error is unknown, as a fraction of it


class FarRegion(NamedTuple):
    """The region that has all replicas of the data of a read."""

    cluster: str
    way: Way                # from here


class PendingRead(NamedTuple):
    """What is known of a read when its route is chosen."""

    size: float             # bytes of its body
    content: str            # its class of content
    head: float | None      # seconds until its head here; 0 if that has come, None: absent here
    head_error: float = 0.0     # of the forecast `head`
    client: Way = Way(0.0, math.inf)    # between here and the client
    network: str = ''           # of the client, as in a ClientPath
    follows: bool = False       # whether the client may be redirected
    far: FarRegion | None = None        # None: there is a replica here


class KnownCluster(NamedTuple):
    """What one worker knows of another cluster when it chooses the route of a read."""

    link: object            # the ClusterLink to it
    times: dict             # class of content -> TimeForecast
    paths: dict             # network of clients -> ClientPath
    idle: bool = False      # whether this host has an idle connection to it
    tls: int = 0            # round trips of TLS on a new connection of this host
    client_tls: int = 0     # on a new connection of a client
    more: float = 0.0       # reads of this worker there, more than usual: away.py
    trusted: bool = False   # whether clients may be redirected to it


def routes(read, here, clusters):
    """Return {Route: RouteCost} of a PendingRead: LOCAL, FETCH and REDIRECT of each known cluster.

    `here` is the name of this cluster, `clusters` is {name of another one: KnownCluster or None}.
    LOCAL is left out if the object is absent here, REDIRECT if the client does not follow one
    there.
    """
    known = {}
    if read.head is not None:
        known[Route(here, LOCAL)] = local_cost(read, read.far and clusters.get(read.far.cluster))
    for name, there in clusters.items():
        forecast = there and there.times.get(read.content)
        if forecast is None or not there.link.bandwidth:
            continue
        head = head_seconds(forecast, there.more)
        head_error = error_of(forecast.error, forecast.seconds)
        known[Route(name, FETCH)] = fetch_cost(read, name, there, head, head_error)
        if read.follows and there.trusted:
            known[Route(name, REDIRECT)] = redirect_cost(read, there, head, head_error)
    return known


def head_seconds(forecast, more):
    """Return s_j by a TimeForecast, with `more` reads of this worker there, negative for fewer."""
    return max(LEAST * forecast.seconds, forecast.seconds + forecast.step * more)


def local_cost(read, there=None):
    """Return the RouteCost of a PendingRead that is served here.

    If its data are far, `there` is the KnownCluster that has them, None if it is unknown.
    """
    facts = read.head, read.size, read.client
    if read.far is None:
        seconds, paper = cost.local(*facts), cost.paper_local(*facts)
    else:
        seconds, paper = (cost.region(*facts, read.far.way),
                          cost.paper_fetch(*facts, read.far.way))
    error = read.head_error if there is None else far_error(read, there)
    return RouteCost(seconds, error, paper,
                     (('head', read.head), ('body', seconds - read.head)), read.far is not None)


def far_error(read, there):
    """Return the error of the seconds of a PendingRead here, of data in a KnownCluster."""
    forecast = there.times.get(read.content)
    if forecast is None or not there.link.bandwidth:
        return read.head_error
    return error_of(forecast.error, forecast.seconds) + link_error(
        there.link, read.far.way, 2, read.size)


def fetch_cost(read, name, there, head, head_error):
    """Return the RouteCost of a PendingRead that is fetched from the KnownCluster `there`.

    `name` is the name of that cluster, where the head takes `head` +- `head_error` seconds.
    """
    link = link_way(there.link, there.paths.get(read.network))
    seconds = cost.fetch(head, read.size, read.client, link, there.idle, there.tls)
    trips = 1 if there.idle else 2 + there.tls
    return RouteCost(seconds, head_error + link_error(there.link, link, trips, read.size),
                     cost.paper_fetch(head, read.size, read.client, link),
                     (('head', head), ('round trips', trips * link.rtt),
                      ('body', seconds - head - trips * link.rtt)),
                     read.far is not None and read.far.cluster == name)


def redirect_cost(read, there, head, head_error):
    """Return the RouteCost of a PendingRead that is redirected to the KnownCluster `there`.

    The head takes `head` +- `head_error` seconds there.
    """
    path = there.paths.get(read.network)
    link = link_way(there.link, path)
    direct = cost.by_way(read.client, link) if path is None else Way(path.rtt, path.bandwidth)
    seconds = cost.redirect(head, read.size, read.client, direct, there.client_tls)
    trips = (2 + there.client_tls) * direct.rtt + read.client.rtt / 2
    error = head_error + (link_error(there.link, link, 2, read.size) if path is None else 0.0)
    return RouteCost(seconds, error, cost.paper_redirect(head, read.size, direct),
                     (('head', head), ('round trips', trips), ('body', seconds - head - trips)))


def link_way(link, path):
    """Return the Way of a ClusterLink from another cluster, by which a body comes to a client.

    `path` is the ClientPath from that cluster to the client, None if unknown. If the client is so
    far from there that its path leads over the link, the link has the path's bandwidth at least.
    """
    beyond = path is not None and path.rtt >= BEYOND * link.rtt
    return Way(link.rtt, max(link.bandwidth, path.bandwidth) if beyond else link.bandwidth)


def link_error(link, way, trips, size):
    """Return the error of the seconds of `trips` round trips and `size` bytes on a ClusterLink.

    `way` is what link_way() returns for it: a bandwidth of a ClientPath has no error.
    """
    error = trips * error_of(link.error, link.rtt)
    if way.bandwidth == link.bandwidth:
        error += size / link.bandwidth * (
            error_of(link.bandwidth_error, link.bandwidth) / link.bandwidth)
    return error


def error_of(error, forecast):
    """Return the `error` of a `forecast`; if it is unknown, None, UNSURE x the forecast."""
    return UNSURE * forecast if error is None else error
