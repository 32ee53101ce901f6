"""Clusters as the JSON file that an agent writes for the dispatchers of its host. Pure.

    {"format": 1, "boot": the host's boot, "here": name, "others": [[instant, payload], ...],
     "links": [[cluster, rtt, error, lost, bandwidth, bandwidth_error], ...],
     "names": [cluster, ...], "times": {cluster: {content: [seconds, error, step]}},
     "paths": {cluster: [[network, rtt, bandwidth], ...]}, "ring": digest}

A payload is the text of wire/cluster_summary.py. Instants are of the monotonic clock that all
processes of a host share until its next boot.
"""
import json
import math

from swift_lb.model import ClientPath, ClusterLink, Clusters, HeardCluster, TimeForecast
from swift_lb.wire import boot_document, cluster_summary

FORMAT = 1


def encode(clusters, boot):
    """Return Clusters as the bytes of the file; `boot` is the id of the host's boot."""
    return json.dumps({
        'format': FORMAT, 'boot': boot, 'here': clusters.here,
        'others': [[at, cluster_summary.encode(summary).decode()]
                   for summary, at in clusters.others.values()],
        'links': list(clusters.links.values()), 'names': clusters.names,
        'times': dict(clusters.times),
        'paths': {name: list(paths.values()) for name, paths in clusters.paths.items()},
        'ring': clusters.ring},
        separators=(',', ':')).encode()


def decode(data, boot):
    """Return (Clusters, None), or (None, what is wrong with the file's `data`).

    What is wrong is the end of a sentence that begins with the file's name. Clusters from another
    boot than `boot` are refused, too.
    """
    return boot_document.decode(data, boot, FORMAT, _clusters,
                                'has no clusters, or only a part of them')


def _clusters(raw):
    others = [HeardCluster(cluster_summary.decode(payload.encode()), float(at))
              for at, payload in raw['others']]
    if not all(one.summary and math.isfinite(one.at) for one in others):
        raise ValueError(raw)
    links = [ClusterLink(str(name), *map(_float, numbers)) for name, *numbers in raw['links']]
    return Clusters(
        str(raw['here']), {one.summary.cluster: one for one in others},
        {link.cluster: link for link in links}, tuple(map(str, raw['names'])),
        {name: {content: TimeForecast(*map(_float, numbers)) for content, numbers in times.items()}
         for name, times in raw['times'].items()},
        {name: {network: ClientPath(network, float(rtt), float(bandwidth))
                for network, rtt, bandwidth in paths} for name, paths in raw['paths'].items()},
        str(raw['ring']))


def _float(value):
    return None if value is None else float(value)
