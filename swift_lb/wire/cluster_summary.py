"""A ClusterSummary as the payload of a signed datagram, a JSON array. Pure.

    [VERSION, cluster, node, epoch, sequence, sent_at, interval, url, nodes, load, least_load,
     [relay, ...], [[content, seconds, step], ...], [[cluster, credit], ...], ring, region,
     [[cluster, node, epoch, sequence, held, lost], ...],
     [[cluster, rtt, error, lost, bandwidth, bandwidth_error], ...],
     [[network, rtt, bandwidth], ...], [[name, error, gain], ...],
     [wait, workers, decode, png, raw, coefficients] or null, [[name, error, gain], ...]]

The names are those of the fields of model.ClusterSummary and of the classes in it. Like a report of
node_report.py, a signed datagram has MAX_DATAGRAM bytes at most. Credits have MAX_CREDITS bytes at
most, in their order, and leave ECHO_ROOM; a cluster that is left out may send nothing. Echoes get
at most half of the room that is left, links two thirds of the rest, client paths what is left then.
A speaker begins links and paths at another place each time, so that all of them are told within
some rounds. Redirects that have ended are those of whole objects first; those of parts of images
come last. The last two fields are absent in summaries of older agents. Fields after them are
ignored: later versions may append some.
"""
import json
import re

from swift_lb.errors import WireError
from swift_lb.model import (
    ClientPath,
    ClusterLink,
    ClusterSummary,
    ContentTime,
    Echo,
    EndedRedirect,
)
from swift_lb.wire.image_state import as_fields, of_fields
from swift_lb.wire.node_report import (
    MAX_PAYLOAD,
    NAME,
    digits,
    dumped,
    json_that_fits,
    number,
    text,
    whole,
)
from swift_lb.wire.relay import RELAY

VERSION = 1
MAGIC = b'slc1'         # with which signed summaries begin, unlike reports
MAX_RELAYS = 3
MAX_OTHERS = 64         # echoes, links, credits or paths
MAX_CLASSES = 8         # of content
MAX_CREDITS = 480       # bytes of credits, which leaves as many for echoes
ECHO_ROOM = 160         # bytes, in half of which an echo of usual names fits
MAX_REGION = 1 << 20
MAX_ENDED = 4
FIELDS = 20             # without the last two
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0      # seconds
MAX_SECONDS, MAX_LOAD, MAX_RATE = 3600.0, 1e15, 1e15
LEAST_RATE = 1.0        # bytes per second of a link or path: seconds are sizes divided by it
CLUSTER = re.compile(r'[a-z0-9][a-z0-9-]{0,30}(?:\.[a-z0-9][a-z0-9-]{0,30}){0,3}')
CONTENT = re.compile(r'[a-z]{1,16}')
RING = re.compile(r'[0-9a-f]{0,16}')
NETWORK = re.compile(r'[0-9a-f.:]{3,39}/[0-9]{1,3}')
REDIRECT_NAME = re.compile('[0-9a-f]{8}')
# The url of a cluster: nothing in it that two programs could read as two hosts, such as @ or \.
HOST = '[a-z0-9-]{1,63}(?:[.][a-z0-9-]{1,63})*'
URL = re.compile(f'|(?=.{{8,208}}$)(?P<scheme>https?)://(?P<host>{HOST})(?::[0-9]{{1,5}})?'
                 '(?:/[A-Za-z0-9._~-]*)*')


def encode(summary):
    """Return the payload of a ClusterSummary; raises WireError if it does not fit a datagram."""
    begin = dumped([VERSION, summary.cluster, summary.node, summary.epoch, summary.sequence,
                    round(summary.sent_at, 3), digits(summary.interval), summary.url,
                    summary.nodes, digits(summary.load), digits(summary.least_load),
                    list(summary.relays),
                    [[one.content, digits(one.seconds), digits(one.step)] for one in summary.times]
                    ])[:-1] + b','
    middle = b',' + dumped(summary.ring) + b',' + dumped(summary.region) + b','
    ended = [[(one.name, digits(one.error), digits(one.gain))
              for one in summary.ended[:MAX_ENDED] if one.is_part == is_part]
             for is_part in (False, True)]
    end = b',' + dumped([ended[0], as_fields(summary.image), ended[1]])[1:]
    left = MAX_PAYLOAD - len(begin) - len(middle) - len(end) - len(',,')
    if left < len('[][][][]'):
        raise WireError(f'the summary of cluster {summary.cluster} has more than the {MAX_PAYLOAD} '
                        'bytes that a datagram has room for: a shorter url would do')
    credits = json_that_fits(((cluster, digits(rate)) for cluster, rate in summary.credits),
                             min(MAX_CREDITS, left - ECHO_ROOM))
    left -= len(credits)
    echoes = json_that_fits([(*echo[:4], digits(echo.held), digits(echo.lost))
                             for echo in summary.echoes], left // 2 - len('[]'))
    left -= len(echoes)
    links = json_that_fits([(link.cluster, *map(digits, link[1:])) for link in summary.links],
                           2 * left // 3)
    paths = json_that_fits([(path.network, digits(path.rtt), digits(path.bandwidth))
                            for path in summary.paths], left - len(links))
    return begin + credits + middle + b','.join((echoes, links, paths)) + end


def decode(payload):
    """Return the ClusterSummary of a payload, None for one that encode() never writes."""
    try:
        fields = json.loads(str(payload, 'ascii'))
        if type(fields) is not list or whole(fields[0]) != VERSION or len(fields) < FIELDS:
            return None
        return summary_of(*fields[1:FIELDS + 2])
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def summary_of(cluster, node, epoch, sequence, sent_at, interval, url, nodes, load, least_load,
               relays, times=(), credits=(), ring='', region=0, echoes=(), links=(), paths=(),
               ended=(), image=None, ended_parts=()):
    """Return the ClusterSummary of these fields, decoded JSON, after checking each of them.

    Raises ValueError or TypeError for an invalid value.
    """
    return ClusterSummary(
        text(text(cluster, CLUSTER), NAME), text(node, NAME), whole(epoch), whole(sequence),
        number(sent_at, 0.0, 1e12), number(interval, MIN_INTERVAL, MAX_INTERVAL), text(url, URL),
        whole(nodes, 1 << 20), *[known(one, -MAX_LOAD, MAX_LOAD) for one in (load, least_load)],
        tuple([text(relay, RELAY) for relay in listed(relays, MAX_RELAYS)]),
        tuple([_time(*one) for one in listed(times, MAX_CLASSES)]),
        tuple([_credit(*one) for one in listed(credits, MAX_OTHERS)]), text(ring, RING),
        whole(region, MAX_REGION),
        tuple([_echo(*one) for one in listed(echoes, MAX_OTHERS)]),
        tuple([_link(*one) for one in listed(links, MAX_OTHERS)]),
        tuple([_path(*one) for one in listed(paths, MAX_OTHERS)]),
        tuple([ended_redirect(is_part, *one) for is_part, some in enumerate((ended, ended_parts))
               for one in listed(some, MAX_ENDED)]),
        None if image is None else of_fields(*image))


def _time(content, seconds, step):
    return ContentTime(text(content, CONTENT), number(seconds, 0.0, MAX_SECONDS),
                       number(step, 0.0, MAX_SECONDS))


def _credit(cluster, rate):
    return text(cluster, CLUSTER), number(rate, 0.0, MAX_RATE)


def _path(network, rtt, bandwidth):
    return ClientPath(text(network, NETWORK), number(rtt, 0.0, MAX_SECONDS),
                      number(bandwidth, LEAST_RATE, MAX_RATE))


def ended_redirect(is_part, name, error, gain):
    """Return an EndedRedirect; the last three arguments are decoded JSON.

    Raises ValueError or TypeError if they are invalid.
    """
    return EndedRedirect(text(name, REDIRECT_NAME), number(error, -MAX_SECONDS, MAX_SECONDS),
                         known(gain, -MAX_SECONDS, MAX_SECONDS), bool(is_part))


def _echo(cluster, node, epoch, sequence, held, lost):
    return Echo(text(cluster, CLUSTER), text(node, NAME), whole(epoch), whole(sequence),
                number(held, 0.0, MAX_SECONDS), number(lost, 0.0, 1.0))


def _link(cluster, rtt, error, lost, bandwidth=None, bandwidth_error=None):
    return ClusterLink(text(cluster, CLUSTER), number(rtt, 0.0, MAX_SECONDS),
                       known(error, 0.0, MAX_SECONDS), number(lost, 0.0, 1.0),
                       known(bandwidth, LEAST_RATE, MAX_RATE),
                       known(bandwidth_error, 0.0, MAX_RATE))


def known(value, least, most):
    """Return a number from `least` to `most`, None for None; raises ValueError for another."""
    return None if value is None else number(value, least, most)


def listed(value, most):
    """Return `value`; raises ValueError unless it is a list of at most `most` items."""
    if type(value) not in (list, tuple) or len(value) > most:
        raise ValueError(f'{value!r} is no list of at most {most}')
    return value
