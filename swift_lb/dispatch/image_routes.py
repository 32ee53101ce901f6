"""The routes of a read of a part of an image: a point of its chain and a cluster together. Pure.

Each cluster has its own best point (points.py), and so its own size of the answer. The seconds of a
route are those of routes.py for that size, and those of the point:

    seconds     routes.py's + t_data + t_server + t_client
    head        routes.py's + t_data + t_server, since the head of the answer comes after both

t_net of the point is left out: routes.py has what the network takes. If the data are far from here,
the part, and not what is read for it, is taken to come over the link.

The wait at another cluster is

    max(LEAST wait, wait + more / workers, there / workers)

    wait, workers   of its ImageState
    there, more     seconds of work that this worker's requests are there, and how much more that is
                    than when the last summary came: away.py. As for heads, less of it makes the
                    wait half as long at most

The error of another cluster's decoding is unknown, and so counts as half of the forecast:

    error       routes.py's + UNSURE x (t_server - wait)

So at a light load a part stays for which leaving would gain little.

What is unknown of another cluster is as it is here: t_data, and the seconds until a head, which is
unknown there if no whole object was read lately.
"""
from swift_lb.dispatch.cost import to_client
from swift_lb.dispatch.places import LEAST, UNSURE
from swift_lb.dispatch.points import point_costs
from swift_lb.dispatch.routes import local_cost, local_route, routes
from swift_lb.model import PartSeconds


def route_costs(read, here, clusters, paper=False):
    """Return {Route: RouteCost} of a PendingRead, of a part of an image or of a whole object.

    The arguments are those of routes.routes().
    """
    if read.parts is None:
        return routes(read, here, clusters, paper)
    return part_routes(read, here, clusters, paper)


def part_routes(read, here, clusters, paper=False):
    """Return {Route: RouteCost} of a PendingRead of a part of an image, which has `parts`.

    The arguments are those of routes.routes(). A cluster that is not in `parts` has no route.
    """
    known, own = {}, read.parts.get(here)
    if read.head is not None and own is not None:
        size = own.work.size
        known[local_route(here)] = with_part(local_cost(
            read._replace(size=size), to_client(size, read.client), clusters, paper), own)
    for there in clusters:
        part = read.parts.get(there.place.fetch.cluster)
        if part is not None:
            away = routes(read._replace(size=part.work.size, head=None), here, [there], paper)
            unsure = UNSURE * (part.server - part.wait)
            known |= {route: with_part(cost._replace(error=cost.error + unsure), part)
                      for route, cost in away.items()}
    return known


def with_part(cost, point):
    """Return a RouteCost with the seconds of a PointCost, but for those of the network."""
    part = PartSeconds(point.data, point.server, point.client, point.wait)
    more = part.data + part.server + part.client
    return cost._replace(
        seconds=cost.seconds + more, paper=None if cost.paper is None else cost.paper + more,
        head=cost.head + part.data + part.server, part=part)


def cluster_parts(works, state, client, away, here, kept=()):
    """Return the PointCost of the best point at another cluster, None if there is none.

    `works` are the Works of a chain. `state` is the ImageState of that cluster; if it is None, no
    decoder answers there: only points without one are possible, and results that are kept cannot be
    had. `client` is a ClientSide whose way is the one from that cluster to the client. `away` is
    the (there, more) of WorkAway, `here` the ServerSide of this cluster. `kept` are the (point,
    form) of results that are kept there, as for point_costs().
    """
    if state is None:
        server, kept = here._replace(wait=None), ()
    else:
        server = here._replace(wait=wait(state, *away), decode=state.decode, png=state.png,
                               raw=state.raw, coefficients=state.coefficients)
    return next(iter(point_costs(works, server, client, kept)), None)


def wait(state, there, more):
    """Return the seconds until a decoder of an ImageState is free.

    `there` and `more`, seconds of work, are those of WorkAway.
    """
    return max(LEAST * state.wait, state.wait + more / state.workers, there / state.workers)
