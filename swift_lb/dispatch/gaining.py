"""Which clusters can serve a read sooner than this one, by a bound of their seconds. Pure.

Of the terms of routes.py and cost.py, a fetch has those of LOCAL, and besides

    fetch - LOCAL >= R_hj + LEAST s_j - s_h + max(0, S / B_hj - N(S, ch, warm))

s_h being the seconds until a head here: it waits for a round trip and for a head there, and its
body comes over the link first. So if the right side is 0 or more, the routes to the cluster are not
computed, which takes 10 us each. This bound does not hold if the data are far from here: then LOCAL
goes over the link itself. A redirect can be sooner than it only by a known path to the client.
"""
from swift_lb.dispatch.cost import seconds_to_send
from swift_lb.dispatch.routes import LEAST, link_way


def gaining(read, names, known):
    """Return the clusters of `names` by which a PendingRead can be sooner than LOCAL.

    None if nothing is known of any of them. `known` are Clusters.
    """
    if read.far is not None:
        return names
    sooner, knows_any = [], False
    for name in names:
        link, forecast = known.links.get(name), known.times.get(name, {}).get(read.content)
        if link is None or forecast is None:
            continue
        knows_any = True
        path = known.paths.get(name, {}).get(read.network)
        if (read.follows and path is not None) or can_gain(read, link, path, forecast.seconds):
            sooner.append(name)
    return sooner if knows_any else None


def can_gain(read, link, path, head):
    """Return whether a fetch over a ClusterLink can be sooner; `head` are the seconds s_j.

    `path` is the ClientPath from that cluster to the client of the PendingRead, None if unknown.
    """
    left = read.head - link.rtt - LEAST * head
    if left <= 0.0 or not link.bandwidth:
        return left > 0.0
    body = read.size / link_way(link, path).bandwidth
    return left > body - seconds_to_send(read.size, read.client, True)
