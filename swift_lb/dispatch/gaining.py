"""Which clusters can serve a read sooner than this one, by bounds of their seconds. Pure.

By the terms of routes.py and cost.py, the route to a cluster j takes longer than LOCAL by

    fetch       at least  R_hj + LEAST s_j - s_h + max(0, S / B_hj - N(S, ch, open))
    redirect    at least  2 R_cj + LEAST s_j - s_h + S / B_cj - N(S, ch, open)

s_h being the seconds until a head here. A fetch waits for a round trip and for a head there, and
its body comes over the link first; a redirect opens a connection. If neither is below 0, the routes
to the cluster are not computed, which takes 5 us each. If the data are far from here, the bounds
do not hold: then LOCAL goes over the link itself; nor do they hold for parts of images, whose sizes
and seconds are others at each cluster. A redirect over an unknown path goes by way of
here, so it takes longer than a fetch.
"""
from swift_lb.dispatch.cost import to_client


def gaining(read, names, places):
    """Return a list of those clusters of `names` that can serve a PendingRead sooner than LOCAL.

    None if no link and times are known of any of them. `places` is {name: Place} for its class of
    content.
    """
    if read.far is not None or read.parts is not None:
        return names
    sooner, knows_any = [], False
    size, head, client = read.size, read.head, read.client
    body = to_client(size, client)
    for name in names:
        place = places.get(name)
        if place is None or place.forecast is None or place.rtt is None:
            continue
        knows_any = True
        left = head - place.least
        if can_fetch(left - place.rtt, size, body, place.links, read.network) or (
                read.follows and can_redirect(left + body, size, place.paths.get(read.network))):
            sooner.append(name)
    return sooner if knows_any else None


def can_fetch(left, size, body, links, network):
    """Return whether a fetch of `size` bytes can be sooner than LOCAL.

    `left` is s_h - LEAST s_j - R_hj and `body` N(S, ch, open), both in seconds; `links` are the
    LinkWays from that cluster to the client, who is in `network`; None without a bandwidth.
    """
    if left <= 0.0 or links is None:
        return left > 0.0
    return left > size / links[network].bandwidth - body


def can_redirect(left, size, path):
    """Return whether a redirect over the ClientPath `path`, None if unknown, can be sooner.

    `size` is the bytes of the body, `left` is s_h - LEAST s_j + N(S, ch, open), in seconds.
    """
    return path is not None and left > 2 * path.rtt + size / path.bandwidth
