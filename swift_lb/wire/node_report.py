"""A Report and the addresses of other nodes as the payload of a datagram, a JSON array. Pure.

    [VERSION, node, epoch, sequence, sent_at, interval, proxy, state, ramp, reject, critical, told,
     weight, keep, take, generation, digest, rules, {metric: value}, [[node, rate], ...],
     [[node, ip, port], ...]]

The names are those of the fields of model.Report, which explains them. A signed datagram has
MAX_DATAGRAM bytes at most, so that every network passes it unfragmented. It has as many flows
(node, requests per second delegated to it), MAX_FLOWS at most, as leave room for a neighbour's
address, and then as many neighbours as fit. Since flows may be left out, the metric
`handed_on` is the sum of all. It is a metric and no field, because older agents accept reports with
any metric but with no other fields. Numbers have SIGNIFICANT digits. The sender of a report uses
what decode() returns for it, so that all nodes plan with exactly the same numbers.
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
MAX_DATAGRAM = 1200                             # bytes
MAX_PAYLOAD = MAX_DATAGRAM - LENGTH - len(MAGIC)
SIGNIFICANT = 6
MAX_METRICS = 32
MAX_FLOWS = 8
MIN_RATE, MAX_RATE = 0.05, 1e9                  # of a flow, requests per second
NEIGHBOUR_ROOM = 128                            # bytes of one with the longest name and address
MIN_INTERVAL, MAX_INTERVAL = 0.1, 60.0         # seconds
NAME = re.compile(r'[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62})')
METRIC = re.compile(r'[a-z][a-z0-9_]{0,31}')
PROXY = re.compile(r'(?:[A-Za-z0-9._-]{1,63}|\[[0-9A-Fa-f:.]{2,45}\]):[0-9]{1,5}')
IP = re.compile(r'[0-9A-Fa-f:.]{2,45}')
DIGEST = re.compile(r'[0-9a-f]{0,16}')
NUMBERS = (float, int)
STATES = (UP, DRAINING, DISABLED)
ENCODER = json.JSONEncoder(separators=(',', ':'), allow_nan=False)   # json.dumps makes one per call
PLANNED_STATES = (*STATES, LATE, REJECTED, CRITICAL)


class Neighbour(NamedTuple):
    """The name of another node, and the address at which it receives reports."""

    node: str
    ip: str
    port: int


def encode(report, neighbours=()):
    """Return the payload for `report` and for as many of `neighbours`, in their order, as fit.

    Raises WireError if the report itself does not fit.
    """
    metrics = {name: digits(value) for name, value in sorted(report.metrics.items())}
    fields = [VERSION, report.node, report.epoch, report.sequence, round(report.sent_at, 3),
              digits(report.interval), report.proxy, report.state, digits(report.ramp),
              digits(report.reject), digits(report.critical), report.told, report.weight,
              report.keep, report.take, report.generation, report.digest, report.rules, metrics]
    begin = dumped(fields)[:-1] + b','
    left = MAX_PAYLOAD - len(begin) - len(',]')
    if left < len('[][]'):
        raise WireError(f'the report of {report.node} has more than the {MAX_PAYLOAD} bytes that a '
                        'datagram has room for: fewer metrics, or shorter names, would do')
    flows = json_that_fits([(node, digits(rate)) for node, rate in report.flows],
                           left - NEIGHBOUR_ROOM)
    return begin + flows + b',' + json_that_fits(neighbours, left - len(flows)) + b']'


def largest(rates):
    """Return ((node, rate), ...), a Report's `flows`: the MAX_FLOWS largest rates, falling.

    `rates` is {node: requests delegated per second}; those below MIN_RATE or above
    MAX_RATE are left out.
    """
    flows = [(node, rate) for node, rate in rates.items() if MIN_RATE <= rate <= MAX_RATE]
    return tuple(sorted(flows, key=lambda one: (-one[1], one[0]))[:MAX_FLOWS])


def json_that_fits(items, room):
    """Return the JSON list of the first `items`, tuples, as many as fit into `room` bytes."""
    texts, length = [], len('[]')
    for item in items:
        text = dumped(list(item))
        if length + len(text) + 1 > room:
            break
        texts.append(text)
        length += len(text) + 1
    return b'[' + b','.join(texts) + b']'


def dumped(fields):
    """Return `fields` as the bytes of a JSON list, in ASCII and without blanks."""
    return ENCODER.encode(fields).encode()


def digits(value):
    """Return `value` rounded to SIGNIFICANT decimal digits, None for None."""
    return None if value is None else float(f'{value:.{SIGNIFICANT}g}')


def decode(payload):
    """Return (Report, [Neighbour, ...]) of a payload, None for one that encode() never writes."""
    try:
        fields = json.loads(str(payload, 'ascii'))
        if type(fields) is not list or whole(fields[0]) != VERSION or len(fields) != 21:
            return None
        return report_of(*fields[1:20]), neighbours_of(fields[20])
    except (ValueError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def report_of(node, epoch, sequence, sent_at, interval, proxy, state, ramp, reject, critical, told,
              weight, keep, take, generation, digest, rules, metrics, flows=()):
    """Return the Report of these fields, which are decoded JSON, after checking each of them.

    This function and those that it calls raise ValueError or TypeError for an invalid value.
    """
    return Report(
        text(node, NAME), whole(epoch), whole(sequence), number(sent_at, 0.0, 1e12),
        number(interval, MIN_INTERVAL, MAX_INTERVAL), metrics_of(metrics),
        '' if proxy == '' else text(proxy, PROXY), one_of(state, STATES), number(ramp, 0.0, 1.0),
        None if reject is None else number(reject, 0.0, 1e15),
        None if critical is None else number(critical, 0.0, 1e15), one_of(told, PLANNED_STATES),
        None if weight is None else number(weight, 0.0, 1.0), number(keep, 0.0, 1.0),
        number(take, 0.0, 1.0), whole(generation, 1 << 62), DIGEST.fullmatch(digest)[0],
        text(rules, DIGEST), flows_of(flows))


def neighbours_of(those):
    """Return [Neighbour, ...] for a decoded list of [node, ip, port].

    Each ip must be an address: the name of a host would be looked up at each send, which blocks.
    """
    if type(those) is not list:
        raise ValueError(f'{those!r} is no list')
    return [Neighbour(text(node, NAME), address(ip), int(number(whole(port), 1, 65535)))
            for node, ip, port in those]


@functools.lru_cache(maxsize=8192)
def address(ip):
    """Return `ip` if it is the text of an IP address; raises ValueError if not."""
    ipaddress.ip_address(text(ip, IP))
    return ip


def metrics_of(metrics):
    """Return {name: value} for decoded metrics; raises ValueError if one is invalid."""
    if len(metrics) > MAX_METRICS:
        raise ValueError(f'{len(metrics)} metrics are more than {MAX_METRICS}')
    return {text(name, METRIC): number(value, -1e15, 1e15) for name, value in metrics.items()}


def flows_of(those):
    """Return ((node, rate), ...) for a decoded list, which must be sorted by falling rate."""
    if type(those) not in (list, tuple) or len(those) > MAX_FLOWS:
        raise ValueError(f'{those!r} is no list of at most {MAX_FLOWS}')
    flows = tuple((text(node, NAME), number(rate, MIN_RATE, MAX_RATE)) for node, rate in those)
    if len(dict(flows)) < len(flows) or any(
            one[1] < other[1] for one, other in itertools.pairwise(flows)):
        raise ValueError(f'{those!r} are not the flows to each node, the largest first')
    return flows


def number(value, minimum, maximum):
    """Return `value` as a float; raises ValueError unless it is from `minimum` to `maximum`."""
    if type(value) in NUMBERS and minimum <= value <= maximum:     # neither True nor NaN
        return float(value)
    raise ValueError(f'{value!r} is no number from {minimum:g} to {maximum:g}')


def whole(value, end=1 << 63):
    """Return `value`; raises ValueError unless it is an int from 0 to `end` - 1."""
    if type(value) is not int or not 0 <= value < end:
        raise ValueError(f'{value!r} is no whole number of at most 63 bits')
    return value


@functools.lru_cache(maxsize=8192)      # names and addresses are the same each second
def text(value, pattern):
    """Return `value`; raises ValueError unless `pattern`, a compiled one, matches all of it."""
    if pattern.fullmatch(value) is None:
        raise ValueError(f'{value!r} does not match {pattern.pattern}')
    return value


def one_of(value, choices):
    """Return `value`; raises ValueError unless it is one of `choices`."""
    if value not in choices:
        raise ValueError(f'{value!r} is none of {", ".join(choices)}')
    return value
