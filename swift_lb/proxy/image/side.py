"""The client's side of a choice among points: what it says of itself, and what its socket shows."""
import math

from swift_lb.dispatch.cost import Way
from swift_lb.dispatch.points import ClientSide
from swift_lb.proxy.dispatch.clients import path_of, socket_of
from swift_lb.proxy.dispatch.clusters import FROM
from swift_lb.proxy.dispatch.incoming import DELEGATED


def side_of(env, client):
    """Return the ClientSide of a request whose header is an ImageClient.

    What the client does not say of its network is what its connection shows; that is not the
    client's if a peer has sent the request here.
    """
    connection = None if DELEGATED in env else socket_of(env.get('wsgi.input'))
    seen = (connection and path_of(connection)) or (0.0, None)
    way = Way(client.latency or seen[0], client.bandwidth or seen[1] or math.inf)
    return ClientSide(client.points, way, client.pixels)


def is_of_peer(env):
    """Return whether a peer, a proxy of this cluster, has sent the request here."""
    return DELEGATED in env and FROM not in env
