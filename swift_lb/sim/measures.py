"""The figures of a run, computed from its Tally: response times, shares, failures. Pure.

`stuck`, the requests that wait for a hung device, covers the whole run; all other figures cover a
part of it, usually that after the warm-up. A percentile is the nearest rank.
"""
import math
from array import array
from collections import Counter
from dataclasses import dataclass

PERCENTILES = (50.0, 99.0, 99.9)
TAIL = tuple(10 ** (-step / 8) for step in range(33))    # fractions of the reads: 1 to 0.0001
SETTLED = 1.0    # seconds within which a hang should be noticed


@dataclass(frozen=True)
class Figures:
    """The figures of one run: times in seconds, shares as multiples of the fair share.

    None means that there was no read to compute the figure from.
    """

    reads: int                  # successful ones
    failed: int
    throughput: float           # successes per second
    requests: float | None      # requests to devices per read
    mean: float | None
    percentiles: dict           # {per cent: seconds}
    by_size: dict               # {bytes: {per cent: seconds}}
    tail: tuple                 # least seconds of the slowest fractions TAIL of the reads
    shares: dict                # {Node: its requests, as a multiple of its fair share}
    worst_seconds: dict         # {Node: the same, in the second in which it was greatest}
    stuck: int | None           # a host's requests on a hung device, after SETTLED seconds

    @property
    def busiest(self):
        """Return the share of the device with most requests, as a multiple of its fair share."""
        return max(self.shares.values(), default=None)

    @property
    def worst_second(self):
        """Return the greatest share of any device in any second, as a multiple of its fair share.
        """
        return max(self.worst_seconds.values(), default=None)

    def document(self):
        """Return the figures as JSON-ready data; percentages, sizes and nodes become text."""
        return {**{name: getattr(self, name) for name in (
                       'reads', 'failed', 'throughput', 'requests', 'mean', 'busiest',
                       'worst_second', 'stuck')},
                'percentiles': _texts(self.percentiles),
                'by_size': {str(size): _texts(times) for size, times in self.by_size.items()},
                'tail': list(self.tail),
                'shares': _texts(self.shares), 'worst_seconds': _texts(self.worst_seconds)}


def _texts(percentiles_of):
    return {f'{key:g}' if isinstance(key, float) else str(key): value
            for key, value in percentiles_of.items()}


def figures(tally, fair, since, until):
    """Return a Tally's Figures of since <= instant < until; `fair` is fair_parts()'s result."""
    kept = [place for place, at in enumerate(tally.ended_at) if since <= at < until]
    times = sorted(tally.response_times[place] for place in kept)
    by_size = {}
    for place in kept:
        by_size.setdefault(tally.sizes[place], []).append(tally.response_times[place])
    asked = [(at, node) for at, node in zip(tally.asked_at, tally.asked_nodes, strict=True)
             if since <= at < until]
    failed = sum(since <= at < until for at in tally.failed_at)
    return Figures(
        reads=len(times), failed=failed, throughput=len(times) / (until - since),
        requests=len(asked) / (len(times) + failed) if times or failed else None,
        mean=math.fsum(times) / len(times) if times else None,
        percentiles=percentiles(times),
        by_size={size: percentiles(sorted(times)) for size, times in sorted(by_size.items())},
        tail=tuple(rank(times, 1 - fraction) for fraction in TAIL) if times else (),
        shares=shares((node for _at, node in asked), fair),
        worst_seconds=worst_seconds(asked, fair, since, until),
        stuck=stuck(tally.stuck_requests))


def percentiles(times):
    """Return the p50, p99 and p99.9 of the sorted `times` as {per cent: seconds}; {} if none."""
    return {per_cent: rank(times, per_cent / 100) for per_cent in PERCENTILES} if times else {}


def rank(times, fraction):
    """Return a nearest-rank percentile of the sorted `times`: the p99 for a `fraction` of 0.99."""
    return times[max(0, math.ceil(round(fraction * len(times), 6)) - 1)]


def shares(nodes, fair):
    """Return {node: its part of the requests divided by its fair part}.

    `nodes` are the nodes of all requests, `fair` is the result of fair_parts().
    """
    counts = Counter(nodes)
    total = sum(counts.values())
    return {node: counts[node] / total / due if total else 0.0 for node, due in fair.items()}


def worst_seconds(asked, fair, since, until):
    """Return {node: its greatest share in any full second, as a multiple of its fair share}.

    `asked` is [(instant, node) of each request], `fair` the result of fair_parts().
    """
    seconds = [[] for _second in range(int(until - since))]
    for at, node in asked:
        if int(at - since) < len(seconds):
            seconds[int(at - since)].append(node)
    worst = dict.fromkeys(fair, 0.0)
    for nodes in seconds:
        for node, count in Counter(nodes).items():
            worst[node] = max(worst[node], count / len(nodes) / fair[node])
    return worst


def stuck(samples):
    """Return the most requests that one proxy host had waiting for a hung device, or None.

    `samples` are (instant, hung node, most requests of one host that wait for it). A node's samples
    in the SETTLED seconds after its first sample do not count; None if no sample counts.
    """
    first, most = {}, None
    for at, node, requests in samples:
        if at >= first.setdefault(node, at) + SETTLED:
            most = max(most or 0, requests)
    return most


def fair_parts(scenario, objects):
    """Return {Node: its fraction of all requests if each replica were read equally often}.

    `objects` is a list with the Nodes of each object's replicas.
    """
    parts = dict.fromkeys((place.node for place in scenario.places), 0.0)
    for number, replicas in enumerate(objects):
        reads = (1 - scenario.hot) / len(objects) + (scenario.hot if number == 0 else 0.0)
        for node in replicas:
            parts[node] += reads / len(replicas)
    return {node: fraction for node, fraction in parts.items() if fraction}


class Tally:
    """Records requests and reads, from which figures() computes. Instants and times are seconds."""

    def __init__(self):
        self.ended_at, self.response_times, self.sizes = array('d'), array('d'), array('q')
        self.failed_at = array('d')
        self.asked_at, self.asked_nodes = array('d'), []
        self.stuck_requests = []    # (instant, hung node, most requests of one host on it)

    def asked(self, now, node):
        """Record a request to `node` at the instant `now`."""
        self.asked_at.append(now)
        self.asked_nodes.append(node)

    def stuck(self, now, node, requests):
        """Record the most `requests` that one proxy host has waiting for a hung node at `now`."""
        self.stuck_requests.append((now, node, requests))

    def ended(self, now, seconds, size, success):
        """Record the end, at `now`, of a client's read of `size` bytes that took `seconds`."""
        if success:
            self.ended_at.append(now)
            self.response_times.append(seconds)
            self.sizes.append(size)
        else:
            self.failed_at.append(now)
