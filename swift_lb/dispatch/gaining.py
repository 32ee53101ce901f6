"""Which clusters can serve a read sooner than this one, by bounds of their seconds. Pure.

By the terms of routes.py and cost.py, the route to a cluster j takes longer than LOCAL by

    fetch       at least  R_hj + LEAST s_j - s_h + max(0, S / B_hj - N(S, ch, warm))
    redirect    at least  2 R_cj + LEAST s_j - s_h + S / B_cj - N(S, ch, warm)

s_h being the seconds until a head here. A fetch waits for a round trip and for a head there, and
its body comes over the link first; a redirect opens a connection. If neither is below 0, the routes
to the cluster are not computed, which takes 10 us each. If the data are far from here, the bounds
do not hold: then LOCAL goes over the link itself. A redirect over an unknown path goes by way of
here, so it takes longer than a fetch.
"""
from swift_lb.dispatch.cost import seconds_to_send
from swift_lb.dispatch.routes import LEAST, link_way


def gaining(read, names, known):
    """Return a list of those clusters of `names` that can serve a PendingRead sooner than LOCAL.

    None if no link and times are known of any of them. `known` are Clusters.
    """
    if read.far is not None:
        return names
    sooner, knows_any = [], False
    body = seconds_to_send(read.size, read.client, True)
    for name in names:
        link, forecast = known.links.get(name), known.times.get(name, {}).get(read.content)
        if link is None or forecast is None:
            continue
        knows_any = True
        path = known.paths.get(name, {}).get(read.network)
        left = read.head - LEAST * forecast.seconds
        if can_fetch(left, read.size, body, link, path) or (
                read.follows and path is not None and can_redirect(left + body, read.size, path)):
            sooner.append(name)
    return sooner if knows_any else None


def can_fetch(left, size, body, link, path):
    """Return whether a fetch of `size` bytes over a ClusterLink can be sooner than LOCAL.

    `left` is s_h - LEAST s_j and `body` N(S, ch, warm), both in seconds; `path` is the ClientPath
    from that cluster to the client, None if unknown.
    """
    left -= link.rtt
    if left <= 0.0 or not link.bandwidth:
        return left > 0.0
    return left > size / link_way(link, path).bandwidth - body


def can_redirect(left, size, path):
    """Return whether a redirect over the ClientPath `path` can be sooner than LOCAL.

    `size` is the bytes of the body, `left` is s_h - LEAST s_j + N(S, ch, warm), in seconds.
    """
    return left > 2 * path.rtt + size / path.bandwidth
