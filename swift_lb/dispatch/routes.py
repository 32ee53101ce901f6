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
What is the same for all reads of a class of content is computed in places.py, which has the
constants.
"""
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from swift_lb.dispatch import cost
from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.places import LEAST, Place
from swift_lb.model import LOCAL, Route, RouteCost, fast_tuple


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
    parts: Mapping | None = None        # of an image: cluster -> the PointCost of its best point
    #                                     there; None if the whole object is read: image_routes.py


class KnownCluster(NamedTuple):
    """What one worker knows of another cluster when it chooses the route of a read."""

    place: Place
    window: float = 0.0     # bytes, of an idle connection of this worker to it; 0 without one
    more: float = 0.0       # reads of this worker there, more than usual: away.py
    trusted: bool = False   # whether clients may be redirected to it


def routes(read, here, clusters, paper=False):
    """Return {Route: RouteCost} of a PendingRead: LOCAL, FETCH and REDIRECT of each known cluster.

    `here` is the name of this cluster, `clusters` are KnownClusters. LOCAL is left out if the
    object is absent here, REDIRECT if the client does not follow one there. Only with `paper` each
    RouteCost has the seconds by the paper's formulas.
    """
    known, body = {}, cost.to_client(read.size, read.client)
    if read.head is not None:
        known[local_route(here)] = local_cost(read, body, clusters, paper)
    for there in clusters:
        place = there.place
        if not place.is_known:
            continue
        head = head_seconds(place.forecast, there.more)
        known[place.fetch] = fetch_cost(read, body, place, there.window, head, paper)
        if read.follows and there.trusted:
            known[place.redirect] = redirect_cost(read, place, head, paper)
    return known


@lru_cache(maxsize=8)
def local_route(here):
    """Return the Route LOCAL of the cluster with the name `here`."""
    return Route(here, LOCAL)


def head_seconds(forecast, more):
    """Return s_j by a TimeForecast, with `more` reads of this worker there, negative for fewer."""
    least, seconds = LEAST * forecast.seconds, forecast.seconds + forecast.step * more
    return seconds if seconds > least else least


def local_cost(read, body, clusters, paper):
    """Return the RouteCost of a PendingRead that is served here.

    Its body takes `body` seconds to the client; `paper` is as in routes(). If its data are far, one
    of the KnownClusters `clusters` may have them.
    """
    head, size, client, far = read.head, read.size, read.client, read.far
    if far is None:
        return fast_tuple(RouteCost, (
            cost.local(head, client, body), read.head_error,
            cost.paper_local(head, size, client) if paper else None, head, None, False, None))
    error = next((place.head_error + place.link_error(far.way, 2, size)
                  for place, *_facts in clusters
                  if place.fetch.cluster == far.cluster and place.is_known), read.head_error)
    return RouteCost(cost.region(head, size, client, body, far.way), error,
                     cost.paper_fetch(head, size, client, far.way) if paper else None, head, None,
                     True)


def fetch_cost(read, body, place, window, head, paper):
    """Return the RouteCost of a PendingRead that is fetched from a Place.

    The head takes `head` seconds there, the body `body` to the client; `window` are the bytes of
    the window of an idle connection to it, 0 if there is none. `paper` is as in routes().
    """
    size, client, link, far = read.size, read.client, place.links[read.network], read.far
    trips = 1 if window else 2 + place.tls
    return fast_tuple(RouteCost, (
        cost.fetch(head, size, client, body, link, window, place.tls),
        place.head_error + place.link_error(link, trips, size),
        cost.paper_fetch(head, size, client, link) if paper else None, head, trips * link.rtt,
        far is not None and far.cluster == place.fetch.cluster, None))


def redirect_cost(read, place, head, paper):
    """Return the RouteCost of a PendingRead that is redirected to a Place.

    The head takes `head` seconds there; `paper` is as in routes().
    """
    size, client, link = read.size, read.client, place.links[read.network]
    path = place.paths.get(read.network)
    direct = cost.by_way(client, link) if path is None else Way(path.rtt, path.bandwidth)
    error = place.head_error + (place.link_error(link, 2, size) if path is None else 0.0)
    return RouteCost(cost.redirect(head, size, client, direct, place.client_tls), error,
                     cost.paper_redirect(head, size, direct) if paper else None, head,
                     (2 + place.client_tls) * direct.rtt + client.rtt / 2)
