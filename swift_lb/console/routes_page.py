"""What the status page of a dispatcher says of the routes of one read, checked and parsed. Pure.

Times are seconds; None means unknown.
"""
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from swift_lb.console import checked
from swift_lb.console.checked import number, record, records, text
from swift_lb.errors import StatusError

MOMENTS = 'early', 'late', 'absent'


class RouteEntry(NamedTuple):
    """One route of a read."""

    cluster: str
    kind: str                       # local, fetch or redirect
    place: int | None               # in the order of trying, 1 first; None if it is left out
    terms: Mapping                  # name of a part -> its predicted seconds
    seconds: float | None           # their sum
    forecast_error: float | None    # of that prediction
    reads: int                      # that went by this route lately; the next three are theirs
    error: float | None             # mean absolute difference of measured and predicted seconds
    bias: float | None              # mean of measured minus predicted seconds
    gain: float | None              # mean of seconds sooner than predicted here
    shut_for: float
    credits: float | None           # requests that may be sent there at once; None: here
    age: float | None               # of the cluster's last summary; None: never, or here
    why: str


class RoutesPage(NamedTuple):
    """The routes of one read, as one worker of a proxy sees them."""

    here: str                   # the cluster of the proxy
    policy: str                 # of clusters
    moment: str
    size: float                 # bytes
    content: str                # class
    network: str                # of the client
    client: float               # seconds of a round trip to it, 0 if unknown
    stays: str | None           # why the read cannot leave
    hedge: str | None           # the cluster that would be asked too if the head here were late
    late: float | None          # seconds until it is; None: not known yet, or no token is left
    routes: tuple               # RouteEntry: those in the order of trying, then those left out


def question(method, path, client, size, moment, follows):
    """Return the query string that asks a status page about the routes of a read.

    `client`, `size` in bytes and `moment` may be None; `follows` is whether its client follows
    redirects.
    """
    query = {'path': path, 'method': method, 'client': client, 'bytes': size, 'moment': moment,
             'follows': '1' if follows else None}
    return f'?{urlencode({name: value for name, value in query.items() if value is not None})}'


def parse(body, url):
    """Return the RoutesPage in `body`, bytes from `url`; raises StatusError for anything else."""
    raw = checked.read(body, url, 'proxy with lb_dispatcher in its pipeline')
    return checked.made(lambda raw: _page(raw, url), raw, url,
                        'a page that is not of a dispatcher of this version')


def _page(raw, url):
    if raw['clusters'] is None or raw['cluster_choice'] is None:
        raise StatusError(f'{url} knows no other cluster: its lb-server.conf has no [lb-cluster], '
                          'or its agent has not heard of one yet')
    clusters = {name: raw['clusters'][name] for name in ('here', 'policy')}
    return record(RoutesPage, raw['cluster_choice'] | clusters,
                  routes=records(RouteEntry, terms=_terms))


def _terms(raw):
    return {text(name): number(seconds) for name, seconds in raw.items()}
