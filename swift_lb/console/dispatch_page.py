"""The status page of a dispatcher, checked and parsed. Pure.

Times are seconds, as on the page; None means unknown.
"""
from typing import NamedTuple
from urllib.parse import urlencode

from swift_lb.console import checked
from swift_lb.console.checked import record, records


class Peer(NamedTuple):
    """One proxy on a dispatcher's status page: another proxy, or the one that serves the page."""

    name: str
    address: str
    state: str
    load: float | None          # in the instruction
    keep: float | None
    take: float | None
    expected: float | None      # seconds until it answers, the hop not included
    hop: float | None           # seconds
    in_flight: int              # requests of the worker there; for itself, those of its host
    choices: int
    successes: int
    errors: int
    ejected_for: float          # seconds for which it is not asked, as it has failed


class Choice(NamedTuple):
    """One proxy in the order in which a dispatcher asks proxies for a request, with a reason."""

    name: str
    expected: float | None
    why: str


class DispatchPage(NamedTuple):
    """The status page of a dispatcher, with the proxy that it would choose for one request."""

    policy: str
    here: str | None            # the node; None: no instruction names it
    generation: int | None      # of the instruction; None without one
    peers: tuple
    content: str                # class of the request
    served_by: str | None       # asked first; None: the proxy itself, without a choice
    why: str | None             # why there is no choice
    order: tuple                # Choices, best first


def question(method, path, client):
    """Return the query string that asks a status page which proxy would serve a request.

    `client` is the IP address of the client, or None.
    """
    query = {'path': path, 'method': method} | ({'client': client} if client else {})
    return f'?{urlencode(query)}'


def parse(body, url):
    """Return the DispatchPage in `body`, bytes from `url`; raises StatusError for anything else."""
    raw = checked.read(body, url, 'proxy with lb_dispatcher in its pipeline')
    return checked.made(_page, raw, url, 'a page that is not of a dispatcher of this version')


def _page(raw):
    choice = raw['choice']
    return record(DispatchPage, raw | choice | {
        'peers': raw['backends'], 'content': choice['asked']['content'], 'why': choice.get('why')},
        peers=records(Peer), order=records(Choice))
