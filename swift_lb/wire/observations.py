"""What proxies measure for other clusters, as the payload of a signed datagram, a JSON array. Pure.

    [VERSION, cluster, node, worker, epoch, sequence, sent_at, [[content, seconds, step, requests],
     ...], [[cluster, bytes, seconds], ...], [[network, answers, rtt, bandwidth], ...],
     [[cluster, fetched, redirected, measured, predicted, taken], ...], [[cluster, requests], ...],
     [[cluster, name, error, gain], ...], [[cluster, name, error, gain], ...]]

The names are those of the fields of Observations and of the classes in it. A signed datagram has
MAX_DATAGRAM bytes at most, as a report of node_report.py. Bodies that do not fit are left out, then
paths. Redirects that have ended are those of whole objects first; those of parts of images come
last. Fields after these are ignored: later versions may append some. An earlier version, of which
a worker can still run while its agent was restarted, has not the last three; then they are empty.
"""
import json
from typing import NamedTuple

from swift_lb.wire.cluster_summary import (
    CLUSTER,
    CONTENT,
    LEAST_RATE,
    MAX_CLASSES,
    MAX_ENDED,
    MAX_OTHERS,
    MAX_RATE,
    MAX_SECONDS,
    NETWORK,
    ended_redirect,
    known,
    listed,
)
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

VERSION = 1
MAGIC = b'slo1'         # with which signed observations begin
FIELDS = 11             # without the last three
AGENT = 0               # the worker in the observations of an agent
MAX_COUNT = 1e12
LEAST = 1e-9            # seconds of a body
PROBE = '/lb/probe'     # path at a proxy of another cluster, which answers with ?bytes=N of them
PROBE_BYTES, MOST_BYTES = 1 << 16, 1 << 22      # the least, as of the Network Weather Service


class ServedTime(NamedTuple):
    """The time of requests of one class of content at a proxy, until the head of the answer."""

    content: str                # a class of dispatch/content.py
    seconds: float              # expected for one more request now
    step: float                 # seconds that each further request adds
    requests: float             # its weight: requests of the last seconds


class RelayedBody(NamedTuple):
    """A part of bodies that came from another cluster as quickly as the link allowed."""

    cluster: str
    bytes: float
    seconds: float


class SeenPath(NamedTuple):
    """The way to clients of one network, from answers that were sent to them."""

    network: str                # 198.51.100.0/24, or an IPv6 /48
    answers: float              # number of answers, less for older ones
    rtt: float                  # seconds of a round trip
    bandwidth: float | None     # bytes per second, None if unknown


class SentReads(NamedTuple):
    """Reads that were sent to another cluster since the last datagram."""

    cluster: str
    fetched: float = 0.0        # number of reads
    redirected: float = 0.0     # number of reads
    measured: float = 0.0       # of the fetched ones, those with a prediction that have ended well
    predicted: float = 0.0      # the sum of the seconds that were predicted of these
    taken: float = 0.0          # the sum of the seconds that they took


class TakenRequests(NamedTuple):
    """Requests that came from another cluster since the last datagram, redirected ones too."""

    cluster: str
    requests: float


class Observations(NamedTuple):
    """What one worker of a proxy has measured lately, or one agent has heard of its workers."""

    cluster: str
    node: str
    worker: int                 # the id of its process, AGENT for that of an agent
    epoch: int                  # of the worker: a later start has a larger one
    sequence: int
    sent_at: float              # seconds since 1970
    times: tuple = ()           # a ServedTime of each class of content that was served
    bodies: tuple = ()          # RelayedBody
    paths: tuple = ()           # SeenPath, the busiest network first
    sent: tuple = ()            # SentReads; only workers tell them, and only their own agent
    taken: tuple = ()           # TakenRequests
    ended: tuple = ()           # (the cluster that redirected it, EndedRedirect) pairs


def encode(seen):
    """Return the payload of Observations, with as much of its last six fields as fits."""
    begin = dumped([VERSION, *seen[:5], round(seen.sent_at, 3), [
        [one.content, *map(digits, one[1:])] for one in seen.times[:MAX_CLASSES]]])[:-1] + b','
    ended = [[(cluster, one.name, digits(one.error), digits(one.gain))
              for cluster, one in seen.ended[:MAX_ENDED] if one.is_part == is_part]
             for is_part in (False, True)]
    fitting, left = [], MAX_PAYLOAD - len(begin) - len('[],[],[],[],[],[]]')
    for rows in (numbers(seen.taken), *ended, numbers(seen.sent), numbers(seen.bodies),
                 numbers(seen.paths)):      # the most important first
        fitting.append(json_that_fits(rows, left + len('[]')))
        left -= len(fitting[-1]) - len('[]')
    taken, objects, parts, sent, bodies, paths = fitting
    return begin + b','.join((bodies, paths, sent, taken, objects, parts)) + b']'


def numbers(rows):
    """Return the first MAX_OTHERS of `rows`, of a name and numbers each, as they are encoded."""
    return [(one[0], *map(digits, one[1:])) for one in rows[:MAX_OTHERS]]


def decode(payload):
    """Return the Observations of a payload, None for one that encode() never writes."""
    try:
        fields = json.loads(str(payload, 'ascii'))
        if type(fields) is not list or whole(fields[0]) != VERSION or len(fields) < FIELDS:
            return None
        return _observations(*fields[1:FIELDS + 3])
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def _observations(cluster, node, worker, epoch, sequence, sent_at, times, bodies, paths, sent,
                  taken=(), ended=(), ended_parts=()):
    return Observations(
        text(text(cluster, CLUSTER), NAME), text(node, NAME), whole(worker), whole(epoch),
        whole(sequence), number(sent_at, 0.0, 1e12),
        tuple([_time(*one) for one in listed(times, MAX_CLASSES)]),
        tuple([_body(*one) for one in listed(bodies, MAX_OTHERS)]),
        tuple([_path(*one) for one in listed(paths, MAX_OTHERS)]),
        tuple([_sent(*one) for one in listed(sent, MAX_OTHERS)]),
        tuple([_taken(*one) for one in listed(taken, MAX_OTHERS)]),
        tuple([_ended(is_part, *one) for is_part, some in enumerate((ended, ended_parts))
               for one in listed(some, MAX_ENDED)]))


def _time(content, seconds, step, requests):
    return ServedTime(text(content, CONTENT), number(seconds, 0.0, MAX_SECONDS),
                      number(step, 0.0, MAX_SECONDS), number(requests, 0.0, MAX_COUNT))


def _body(cluster, count, seconds):
    return RelayedBody(text(cluster, CLUSTER), number(count, 1.0, MAX_RATE),
                       number(seconds, LEAST, MAX_SECONDS))


def _path(network, answers, rtt, bandwidth):
    return SeenPath(text(network, NETWORK), number(answers, 0.0, MAX_COUNT),
                    number(rtt, 0.0, MAX_SECONDS), known(bandwidth, LEAST_RATE, MAX_RATE))


def _sent(cluster, fetched, redirected, measured, predicted, taken):
    counts = [number(count, 0.0, MAX_COUNT) for count in (fetched, redirected, measured)]
    return SentReads(text(cluster, CLUSTER), *counts, number(predicted, 0.0, MAX_COUNT),
                     number(taken, 0.0, MAX_COUNT))


def _taken(cluster, requests):
    return TakenRequests(text(cluster, CLUSTER), number(requests, 0.0, MAX_COUNT))


def _ended(is_part, cluster, *redirect):
    return text(cluster, CLUSTER), ended_redirect(is_part, *redirect)
