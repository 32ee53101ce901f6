"""A dispatcher's page as nouns, checked once. Pure.

Seconds, as on the page; None is unknown.
"""
from typing import NamedTuple
from urllib.parse import urlencode

from swift_lb.console import checked
from swift_lb.console.checked import number, text

PATH = '/lb/dispatch'


class Peer(NamedTuple):
    """One proxy, which may be the one that is asked for its page."""

    name: str
    address: str
    state: str
    load: float | None          # by the instruction
    keep: float | None
    take: float | None
    expected: float | None      # seconds until it answers, the hop not included
    hop: float | None           # seconds
    in_flight: int              # requests of the worker there; for itself, those of its host
    choices: int
    successes: int
    errors: int
    ejected_for: float          # seconds for which it is left alone, as it has failed


class Stand(NamedTuple):
    """Where a proxy stands for a request."""

    name: str
    expected: float | None
    why: str


class DispatchPage(NamedTuple):
    """All that is read of the page that answers a question."""

    policy: str
    here: str | None            # the node; None: no instruction knows it
    generation: int | None      # of the instruction; None: there is none
    peers: tuple
    content: str                # class of the request
    served_by: str | None       # who is asked first; None: the proxy itself, by no policy
    why: str | None             # there is nothing to choose
    order: tuple                # Stands, best first


def question(method, path, client):
    """Return the path of the page that answers who would serve a request."""
    asked = {'path': path, 'method': method} | ({'client': client} if client else {})
    return f'{PATH}?{urlencode(asked)}'


def parse(body, url):
    """Return the DispatchPage in `body`, bytes that came from `url`; StatusError if it is none."""
    raw = checked.read(body, url, 'proxy with lb_dispatcher in its pipeline')
    return checked.made(_page, raw, url, 'a page that is not of a dispatcher of this version')


def _page(raw):
    choice = raw['choice']
    return DispatchPage(
        text(raw['policy']), _perhaps(raw['here']), number(raw['generation'], True),
        tuple(map(_peer, raw['backends'])), text(choice['asked']['content']),
        _perhaps(choice['served_by']), _perhaps(choice.get('why')),
        tuple(Stand(text(one['name']), number(one['expected'], True), text(one['why']))
              for one in choice['order']))


def _peer(raw):
    texts = [text(raw[name]) for name in Peer._fields[:3]]
    facts = [number(raw[name], name in ('load', 'keep', 'take', 'expected', 'hop'))
             for name in Peer._fields[3:]]
    return Peer(*texts, *facts)


def _perhaps(value):
    return None if value is None else text(value)
