"""The cluster document of an agent, parsed and checked. Pure.

Seconds, fractions, and numbers in the unit of their metric, as in the document; None is unknown.
"""
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.console.checked import flag, number, text
from swift_lb.console.daemon_fetch import parsed

PATH = '/v1/cluster'
FORMAT = 1          # of the documents this version reads


class ClusterNode(NamedTuple):
    """The state of one node, and its part of the instruction."""

    node: str
    address: str                # of its agent
    proxy: str
    state: str                  # up, late, gone, draining, disabled, rejected, critical
    age: float | None           # of its last report; None: there was none
    load: float | None          # in the unit of the cluster's metric
    weight: float | None        # deserved share, relative to the largest, which is 1
    dns: float | None           # share of the new clients
    keep: float | None          # fraction of its received requests that it serves itself
    take: float | None          # share of what other nodes delegate
    reason: str
    metrics: Mapping            # name -> value; unknown ones are absent
    clock_skew: float | None
    agrees: bool | None         # whether it follows the same instruction as this agent
    flows: Mapping              # name of another node -> requests per second delegated to it


class ClusterPage(NamedTuple):
    """An agent's document about its whole cluster, parsed."""

    node: str                   # whose agent sent it
    interval: float             # seconds between two reports
    rules: str
    metric: str                 # what load is
    generation: int | None      # of the instruction; None before the first
    expires_in: float | None
    panic: bool
    faults: tuple               # sentences
    nodes: tuple


TEXTS = frozenset(('node', 'address', 'proxy', 'state', 'reason'))
NUMBERS = frozenset(('age', 'load', 'weight', 'dns', 'keep', 'take', 'clock_skew'))


def parse(body, url):
    """Return the ClusterPage in `body`, bytes from `url`; raises StatusError if it has none."""
    return parsed(body, url, 'swift-lb-agent', 'an agent', FORMAT, _page)


def _page(raw):
    return ClusterPage(
        text(raw['node']), number(raw['interval']), text(raw['rules']), text(raw['metric']),
        number(raw['generation'], True), number(raw['expires_in'], True), flag(raw['panic']),
        tuple(map(text, raw['faults'])), tuple(map(_node, raw['nodes'])))


def _node(raw):
    metrics = {text(name): number(value) for name, value in raw['metrics'].items()
               if value is not None}
    flows = {text(name): number(rate) for name, rate in raw['flows'].items()}
    agrees = None if raw['agrees'] is None else flag(raw['agrees'])
    return ClusterNode(**{name: text(raw[name]) for name in TEXTS},
                       **{name: number(raw[name], True) for name in NUMBERS},
                       metrics=metrics, agrees=agrees, flows=flows)
