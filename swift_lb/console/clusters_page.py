"""The document of an agent about the other clusters, parsed and checked. Pure."""
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from swift_lb.console.checked import number, of_daemon, record, records, text

FORMAT = 1          # of the documents this version reads


class OtherCluster(NamedTuple):
    """What an agent knows of another cluster, from its last summary; None is unknown."""

    cluster: str
    state: str                  # up: requests may be sent there; or gone
    age: float | None           # seconds since its last summary
    nodes: int | None           # that are up
    load: float | None          # average, in the unit of its metric
    least_load: float | None
    url: str
    relays: tuple               # IP:PORT of its proxies
    rtt: float | None           # forecast, seconds
    rtt_error: float | None     # mean absolute error of such forecasts, seconds
    lost: float | None          # fraction of summaries lost on the way there
    bandwidth: float | None     # forecast, bytes per second
    bandwidth_error: float | None   # mean absolute error of such forecasts
    region: int | None          # its number in the rings, 0 if it is no region
    credit: float | None        # requests a second that it takes from this cluster
    granted: float              # requests a second that this cluster takes from there
    times: Mapping              # class of content -> seconds until a head there
    fetched: float              # reads a second that the agent's host fetches from there
    redirected: float           # reads a second that it redirects there
    predicted: float | None     # mean seconds of fetched reads
    measured: float | None      # mean seconds that the same reads took
    image: Mapping | None = None    # its decoders of images: wait, workers, seconds a pixel


class ClustersPage(NamedTuple):
    """An agent's document about the other clusters, parsed."""

    node: str                   # whose agent sent it
    here: str | None            # the name of its cluster; None without [lb-cluster]
    cut_off: bool               # whether most clusters are silent, so that nothing leaves this one
    clusters: tuple
    accepted: int               # summaries
    refused: Mapping            # reason -> summaries


def parse(body, url):
    """Return the ClustersPage in `body`, bytes from `url`; raises StatusError for anything else."""
    return of_daemon(body, url, 'swift-lb-agent', 'an agent', FORMAT, partial(
        record, ClustersPage, refused=_numbers,
        clusters=records(OtherCluster, times=_numbers, image=_decoders)))


def _decoders(raw):
    return None if raw is None else _numbers(raw)


def _numbers(raw):
    return {text(name): number(value) for name, value in raw.items()}
