"""A node's Report, and where other nodes are, as the payload of one datagram: a JSON array. Pure.

    [VERSION, node, epoch, sequence, sent_at, interval, proxy, state, ramp, reject, critical, told,
     weight, keep, take, generation, digest, rules, {metric: value}, [[node, rate], ...],
     [[node, ip, port], ...]]

As many flows and then neighbours as fit: the datagram with its signature is MOST bytes at most,
which passes every network unfragmented. Flows, which are MOST_FLOWS at most and leave room for a
neighbour, may so be fewer than there are: the metric `handed_on` is all of them together. That is
no field of its own, as agents that do not know it take a report with any metric, and none with
another field. Numbers have SIGNIFICANT digits. Whoever sends a report takes for its own what
decode() makes of it, so that all nodes have exactly the same.
"""
import functools
import ipaddress
import itertools
import json
import re
from typing import NamedTuple

from swift_lb.errors import WireError
from swift_lb.model import CRITICAL, DISABLED, DRAINING, LATE, REJECTED, UP, Report
from swift_lb.wire.signature import LENGTH, MAGIC

VERSION = 1
MOST = 1200                                     # bytes of a datagram
ROOM = MOST - LENGTH - len(MAGIC)               # of its payload
SIGNIFICANT = 6
MOST_METRICS = 32
MOST_FLOWS = 8
LEAST_RATE, MOST_RATE = 0.05, 1e9               # of a flow, requests per second
FOR_NEIGHBOURS = 128                            # bytes, for one with the longest name and address
MOST_INTERVAL, LEAST_INTERVAL = 60.0, 0.1       # seconds
NAME = re.compile(r'[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})')
METRIC = re.compile(r'[a-z][a-z0-9_]{0,31}')
PROXY = re.compile(r'(?:[A-Za-z0-9._-]{1,63}|\[[0-9A-Fa-f:.]{2,45}\]):[0-9]{1,5}')
IP = re.compile(r'[0-9A-Fa-f:.]{2,45}')
DIGEST = re.compile(r'[0-9a-f]{0,16}')
NUMBERS = (float, int)
STATES = (UP, DRAINING, DISABLED)
TOLD = (*STATES, LATE, REJECTED, CRITICAL)


class Neighbour(NamedTuple):
    """Where another node hears reports."""

    node: str
    ip: str
    port: int


def encode(report, neighbours=()):
    """Return the payload of `report` and of as many of `neighbours`, best first, as fit.

    Raises WireError where not even the report does.
    """
    metrics = {name: digits(value) for name, value in sorted(report.metrics.items())}
    fields = [VERSION, report.node, report.epoch, report.sequence, round(report.sent_at, 3),
              digits(report.interval), report.proxy, report.state, digits(report.ramp),
              digits(report.reject), digits(report.critical), report.told, report.weight,
              report.keep, report.take, report.generation, report.digest, report.rules, metrics]
    begin = dumped(fields)[:-1] + b','
    left = ROOM - len(begin) - len(',]')
    if left < len('[][]'):
        raise WireError(f'the report of {report.node} has more than the {ROOM} bytes that a '
                        'datagram has room for: fewer metrics, or shorter names, would do')
    flows = fitting([(node, digits(rate)) for node, rate in report.flows], left - FOR_NEIGHBOURS)
    return begin + flows + b',' + fitting(neighbours, left - len(flows)) + b']'


def largest(rates):
    """Return what a Report says of {node: requests per second} that are handed on."""
    said = [(node, rate) for node, rate in rates.items() if LEAST_RATE <= rate <= MOST_RATE]
    return tuple(sorted(said, key=lambda one: (-one[1], one[0]))[:MOST_FLOWS])


def fitting(those, room):
    """Return the JSON of the first of `those`, tuples, that fit into `room` bytes."""
    said, length = [], len('[]')
    for one in those:
        text = dumped(list(one))
        if length + len(text) + 1 > room:
            break
        said.append(text)
        length += len(text) + 1
    return b'[' + b','.join(said) + b']'


def dumped(fields):
    """Return the JSON of `fields`, ASCII, without blanks."""
    return json.dumps(fields, separators=(',', ':'), allow_nan=False).encode()


def digits(value):
    """Return `value` with SIGNIFICANT digits, None of None."""
    return None if value is None else float(f'{value:.{SIGNIFICANT}g}')


def decode(payload):
    """Return (Report, [Neighbour, ...]) of a payload, None for what encode() would not write."""
    try:
        fields = json.loads(str(payload, 'ascii'))
        if type(fields) is not list or whole(fields[0]) != VERSION or len(fields) != 21:
            return None
        report = report_of(*fields[1:20])
        neighbours = neighbours_of(fields[20])
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, RecursionError,
            OverflowError):
        return None
    return report, neighbours


def report_of(node, epoch, sequence, sent_at, interval, proxy, state, ramp, reject, critical, told,
              weight, keep, take, generation, digest, rules, metrics, flows=()):
    """Return the Report; raises ValueError or TypeError where a field can not be."""
    return Report(
        text(node, NAME), whole(epoch), whole(sequence), number(sent_at, 0.0, 1e12),
        number(interval, LEAST_INTERVAL, MOST_INTERVAL), metrics_of(metrics),
        '' if proxy == '' else text(proxy, PROXY), one_of(state, STATES), number(ramp, 0.0, 1.0),
        None if reject is None else number(reject, 0.0, 1e15),
        None if critical is None else number(critical, 0.0, 1e15), one_of(told, TOLD),
        None if weight is None else number(weight, 0.0, 1.0), number(keep, 0.0, 1.0),
        number(take, 0.0, 1.0), whole(generation, 1 << 62), DIGEST.fullmatch(digest)[0],
        text(rules, DIGEST), flows_of(flows))


def neighbours_of(those):
    """Return [Neighbour, ...]; raises ValueError or TypeError where one can not be."""
    if type(those) is not list:
        raise ValueError(f'{those!r} is no list')
    return [neighbour_of(*one) for one in those]


def neighbour_of(node, ip, port):
    """Return the Neighbour; raises ValueError or TypeError where a field can not be.

    What is no address would be looked up as a name, which takes its time, by who sends to it.
    """
    return Neighbour(text(node, NAME), address(ip), int(number(whole(port), 1, 65535)))


@functools.lru_cache(maxsize=8192)
def address(ip):
    """Return a str that is an IP address."""
    ipaddress.ip_address(text(ip, IP))
    return ip


def metrics_of(metrics):
    """Return {name: value}."""
    if len(metrics) > MOST_METRICS:
        raise ValueError(f'{len(metrics)} metrics are more than {MOST_METRICS}')
    return {text(name, METRIC): number(value, -1e15, 1e15) for name, value in metrics.items()}


def flows_of(those):
    """Return ((node, rate), ...); raises ValueError or TypeError where one can not be."""
    if type(those) not in (list, tuple) or len(those) > MOST_FLOWS:
        raise ValueError(f'{those!r} is no list of at most {MOST_FLOWS}')
    found = tuple((text(node, NAME), number(rate, LEAST_RATE, MOST_RATE)) for node, rate in those)
    if len(dict(found)) < len(found) or any(
            one[1] < other[1] for one, other in itertools.pairwise(found)):
        raise ValueError(f'{those!r} are not the flows to each node, the largest first')
    return found


def number(value, least, most):
    """Return a float from `least` to `most`."""
    if type(value) in NUMBERS and least <= value <= most:      # True is none, nor is NaN
        return float(value)
    raise ValueError(f'{value!r} is no number from {least:g} to {most:g}')


def whole(value, end=1 << 63):
    """Return an int from 0 on, less than `end`."""
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f'{value!r} is no whole number of at most 63 bits')
    return value


@functools.lru_cache(maxsize=8192)      # names and addresses are the same each second
def text(value, pattern):
    """Return a str that is of `pattern` as a whole."""
    if pattern.fullmatch(value) is None:
        raise ValueError(f'{value!r} does not match {pattern.pattern}')
    return value


def one_of(value, those):
    """Return a `value` that is one of `those`."""
    if value not in those:
        raise ValueError(f'{value!r} is none of {", ".join(those)}')
    return value
