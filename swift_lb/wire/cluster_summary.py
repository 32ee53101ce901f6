"""A ClusterSummary as the payload of a signed datagram, a JSON array. Pure.

    [VERSION, cluster, node, epoch, sequence, sent_at, interval, url, nodes, load, least_load,
     [relay, ...], [[cluster, node, epoch, sequence, held, lost], ...],
     [[cluster, rtt, error, lost], ...]]

The names are those of the fields of model.ClusterSummary, Echo and ClusterLink. Like a report of
node_report.py, a signed datagram has MAX_DATAGRAM bytes at most; echoes and links that do not fit
are left out. Fields after these are ignored: later versions may append some.
"""
import json
import re

from swift_lb.errors import WireError
from swift_lb.model import ClusterLink, ClusterSummary, Echo
from swift_lb.wire.node_report import (
    MAX_PAYLOAD,
    NAME,
    PROXY,
    digits,
    dumped,
    json_that_fits,
    number,
    text,
    whole,
)

VERSION = 1
MAGIC = b'slc1'         # with which signed summaries begin, unlike reports
MAX_RELAYS = 3
MAX_OTHERS = 64         # echoes, or links
FIELDS = 14
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0      # seconds
MAX_SECONDS, MAX_LOAD = 3600.0, 1e15
CLUSTER = re.compile(r'[a-z0-9][a-z0-9-]{0,30}(?:\.[a-z0-9][a-z0-9-]{0,30}){0,3}')
URL = re.compile(r'|https?://[!-~]{1,200}')


def encode(summary):
    """Return the payload of a ClusterSummary; raises WireError if it does not fit a datagram."""
    begin = dumped([VERSION, summary.cluster, summary.node, summary.epoch, summary.sequence,
                    round(summary.sent_at, 3), digits(summary.interval), summary.url,
                    summary.nodes, digits(summary.load), digits(summary.least_load),
                    list(summary.relays)])[:-1] + b','
    left = MAX_PAYLOAD - len(begin) - len(',]')
    if left < len('[][]'):
        raise WireError(f'the summary of cluster {summary.cluster} has more than the {MAX_PAYLOAD} '
                        'bytes that a datagram has room for: a shorter url would do')
    echoes = json_that_fits([(*echo[:4], digits(echo.held), digits(echo.lost))
                             for echo in summary.echoes], left - len('[]'))
    links = json_that_fits([(link.cluster, digits(link.rtt), digits(link.error), digits(link.lost))
                            for link in summary.links], left - len(echoes))
    return begin + echoes + b',' + links + b']'


def decode(payload):
    """Return the ClusterSummary of a payload, None for one that encode() never writes."""
    try:
        fields = json.loads(str(payload, 'ascii'))
        if type(fields) is not list or whole(fields[0]) != VERSION or len(fields) < FIELDS:
            return None
        return summary_of(*fields[1:FIELDS])
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def summary_of(cluster, node, epoch, sequence, sent_at, interval, url, nodes, load, least_load,
               relays, echoes=(), links=()):
    """Return the ClusterSummary of these fields, decoded JSON, after checking each of them.

    Raises ValueError or TypeError for an invalid value.
    """
    return ClusterSummary(
        text(text(cluster, CLUSTER), NAME), text(node, NAME), whole(epoch), whole(sequence),
        number(sent_at, 0.0, 1e12), number(interval, MIN_INTERVAL, MAX_INTERVAL), text(url, URL),
        whole(nodes, 1 << 20), _load(load), _load(least_load),
        tuple([text(relay, PROXY) for relay in _listed(relays, MAX_RELAYS)]),
        tuple([_echo(*one) for one in _listed(echoes, MAX_OTHERS)]),
        tuple([_link(*one) for one in _listed(links, MAX_OTHERS)]))


def _echo(cluster, node, epoch, sequence, held, lost):
    return Echo(text(cluster, CLUSTER), text(node, NAME), whole(epoch), whole(sequence),
                number(held, 0.0, MAX_SECONDS), number(lost, 0.0, 1.0))


def _link(cluster, rtt, error, lost):
    return ClusterLink(text(cluster, CLUSTER), number(rtt, 0.0, MAX_SECONDS),
                None if error is None else number(error, 0.0, MAX_SECONDS), number(lost, 0.0, 1.0))


def _load(value):
    return None if value is None else number(value, -MAX_LOAD, MAX_LOAD)


def _listed(value, most):
    if type(value) not in (list, tuple) or len(value) > most:
        raise ValueError(f'{value!r} is no list of at most {most}')
    return value
