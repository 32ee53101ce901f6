"""The part of one worker's status page about the other clusters.

Times are seconds, credits are requests that may be sent at once; None means unknown.
"""
from swift_lb.dispatch.gains import RouteFigures
from swift_lb.model import FETCH, GONE, LOCAL, REDIRECT, UP, Route

NO_READS = RouteFigures(0, None, None, None, 0.0)


def describe_clusters(choice, others, policy, now):
    """Return the object `clusters` of the page, None without [lb-cluster] or before its file.

    `choice` is the worker's ClusterChoice, `others` its OtherClusters, `policy` the policy's name.
    """
    known = others.known()
    if known is None:
        return None
    living, figures = others.summaries(), choice.router.gains.figures(now)
    names = sorted({*known.names, *known.others})
    return {'here': known.here, 'policy': policy, 'cut_off': is_cut_off(known, living),
            'routes': [described(Route(known.here, LOCAL), figures)],
            'others': [describe_cluster(name, name in living, known, choice.credits, figures, now)
                       for name in names]}


def is_cut_off(known, living):
    """Return whether this cluster is cut off by dispatch/clusters.py: most others are dead.

    `known` are Clusters, `living` the summaries that OtherClusters returns, which are none then.
    """
    return bool(known.others) and not living


def describe_cluster(name, is_alive, known, credits, figures, now):
    """Return the entry of the cluster `name`, a dict with the figures of the routes to it.

    `known` are Clusters, `credits` CreditBuckets, `figures` those of Gains.
    """
    return {'cluster': name, 'state': UP if is_alive else GONE, 'age': age_of(name, known, now),
            'credits': credits.left(name, now),
            'routes': [described(Route(name, kind), figures) for kind in (FETCH, REDIRECT)]}


def age_of(name, known, now):
    """Return the seconds since the last summary of the cluster `name`, None without one."""
    heard = known.others.get(name)
    return None if heard is None else now - heard.at


def described(route, figures):
    """Return the kind and the RouteFigures of a Route as a dict."""
    return {'kind': route.kind} | figures.get(route, NO_READS)._asdict()
