"""The cluster document of an agent, parsed and checked. Pure.

Values are seconds, fractions, or numbers in the unit of their metric, as in the document; None
means unknown.
"""
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from swift_lb.console.checked import number, of_daemon, record, records, text

FORMAT = 1          # of the documents this version reads


class ClusterNode(NamedTuple):
    """What an agent knows of one node: its state, its metrics, and its part of the instruction."""

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
    images: Mapping | None = None   # metrics of images of all nodes together; None: no decoders


def parse(body, url):
    """Return the ClusterPage in `body`, bytes from `url`; raises StatusError for anything else."""
    return of_daemon(body, url, 'swift-lb-agent', 'an agent', FORMAT, partial(
        record, ClusterPage, nodes=records(ClusterNode, metrics=_known, flows=_rates),
        images=_images))


def _known(raw):
    return {text(name): number(value) for name, value in raw.items() if value is not None}


def _images(raw):
    return raw and {text(name): None if value is None else number(value)
                    for name, value in raw.items()}


def _rates(raw):
    return {text(name): number(rate) for name, rate in raw.items()}
