"""The DNS service's document as nouns, checked once. Pure.

Seconds and fractions, as in the document; None is unknown.
"""
from typing import NamedTuple

from swift_lb.console.checked import flag, number, text
from swift_lb.console.daemon_fetch import parsed

PATH = '/v1/dns'
FORMAT = 1          # of the documents this version reads


class DnsProxy(NamedTuple):
    """What is answered of one proxy's address."""

    node: str
    address: str
    state: str | None           # by the instruction; None: there is none
    left_out: str | None        # its state, if it is in no answer
    target: float               # share of the new clients
    chance: float               # to be in an answer
    given: int                  # answers that it was in
    expected: float             # answers that it should have been in
    given_share: float | None   # of the new clients, of late
    expected_share: float | None
    reachable: bool | None      # from there; None: it has not been tried
    unreachable: str | None     # why not


class Family(NamedTuple):
    """What is answered of A, or of AAAA."""

    family: str
    mode: str | None            # in force; None: no process has told anything
    size: int                   # addresses in an answer
    panic: bool
    proxies: tuple


class DnsPage(NamedTuple):
    """All that is read of the document."""

    node: str
    zone: str
    names: tuple                # that mean the proxies
    ns: dict                    # host -> its addresses
    mode: str                   # of the conf
    ttl: float | None
    usual_ttl: float
    suspects: tuple             # nodes because of which the TTL is less
    serial: int | None
    without_instruction: str | None     # why there is none
    window: float               # of late: seconds
    resolvers: int | None
    families: tuple


def parse(body, url):
    """Return the DnsPage in `body`, bytes that came from `url`; StatusError if it is none."""
    return parsed(body, url, 'swift-lb-dns', 'a DNS service', FORMAT, _page)


def _page(raw):
    return DnsPage(
        text(raw['node']), text(raw['zone']), _texts(raw['names']),
        {text(host): _texts(addresses) for host, addresses in raw['ns'].items()},
        text(raw['mode']), number(raw['ttl'], True), number(raw['usual_ttl']),
        _texts(raw['suspects']), number(raw['serial'], True),
        _perhaps(raw['without_instruction']), number(raw['window']),
        number(raw['resolvers'], True), tuple(map(_family, raw['families'])))


def _family(raw):
    return Family(text(raw['family']), _perhaps(raw['mode']), number(raw['size']),
                  flag(raw['panic']), tuple(map(_proxy, raw['proxies'])))


def _proxy(raw):
    return DnsProxy(
        text(raw['node']), text(raw['address']), _perhaps(raw['state']), _perhaps(raw['left_out']),
        number(raw['target']), number(raw['chance']), number(raw['given']),
        number(raw['expected']), number(raw['given_share'], True),
        number(raw['expected_share'], True),
        None if raw['reachable'] is None else flag(raw['reachable']),
        _perhaps(raw['unreachable']))


def _texts(values):
    return tuple(map(text, values))


def _perhaps(value):
    return None if value is None else text(value)
