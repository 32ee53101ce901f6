"""The document of a request for a part of an image with lb_why=true: its points and clusters.

A client that may read the object gets the points, whose seconds it could measure. Other clusters
and the queue of the decoder are in the document only for a client with a valid token.
"""
from swift_lb.chains.chain import D1, D2

AUTHORIZE = 'swift.authorize'   # in the environment, if any filter authenticates
USER = 'REMOTE_USER'            # set by tempauth and keystoneauth for a valid token


def is_known(env):
    """Return whether a request has a valid token, or no filter authenticates clients."""
    return bool(env.get(USER)) or AUTHORIZE not in env


def described(asked, costs, side, server, routes, is_known):
    """Return the document, a dict, on an AskedImage: each PointCost with its terms, in seconds.

    `costs` are those of this cluster, the least first; `side` is the ClientSide, `server`
    the ServerSide of this cluster, and `routes` the ImageRoutes of the dispatcher, or None.
    `instead` is the point of the answer if there are no costs here, and none elsewhere. Only
    with `is_known` there are `routes`, and `decoder` is not None.
    """
    elsewhere = routes.described(asked, costs, side, server) if routes else []
    decoder = {name: asked.quote.get(name) for name in ('wait', 'workers', 'queued')}
    return {
        'format': 1, 'region': asked.region, 'reduce': asked.task.reduce,
        'etag': asked.source.etag, 'chain': asked.chain.name,
        'client': {'points': side.points, 'rtt': side.way.rtt, 'pixels': side.pixels,
                   'bandwidth': finite(side.way.bandwidth)},
        'decoder': decoder if is_known else None,
        'kept': sorted(' '.join(what).strip() for what in asked.kept),
        'points': [point(cost) for cost in costs],
        'instead': None if costs or elsewhere else (
            D2 if D2 in {work.point for work in asked.works} else D1),
        'without': {**asked.without, **unusable(asked, costs, side)},
        'routes': elsewhere if is_known else []}


def point(cost):
    """Return a dict of a PointCost."""
    work = cost.work
    return {'point': work.point, 'form': work.form, 'seconds': cost.seconds, 'data': cost.data,
            'server': cost.server, 'net': cost.net, 'client': cost.client, 'bytes': work.size,
            'read': work.read, 'server_pixels': work.server_pixels,
            'client_pixels': work.client_pixels}


def unusable(asked, costs, side):
    """Return {point: sentence} of the points of the image that this request cannot use."""
    used = {cost.work.point for cost in costs}
    return {work.point: why(work.point, side, asked.quote) for work in asked.works
            if work.point not in used}


def why(name, side, quote):
    """Return why the point of this name cannot be used."""
    if name not in side.points:
        return 'the client does not take it' if len(side.points) > 1 or side.pixels else (
            'the client says nothing of itself in X-Lb-Client')
    return 'no swift-lb-image answers' if not quote else 'the client does not say its pixels'


def finite(number):
    """Return a number, None for infinity, which JSON lacks."""
    return None if number == float('inf') else number
