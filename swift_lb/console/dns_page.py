"""The document of the DNS service, parsed and checked. Pure.

Values are seconds and fractions, as in the document; None means unknown.
"""
from functools import partial
from typing import NamedTuple

from swift_lb.console.checked import of_daemon, record, records, text, texts

FORMAT = 1          # of the documents that this version reads


class DnsProxy(NamedTuple):
    """The address of one proxy, and how often DNS answers contain it."""

    node: str
    address: str
    state: str | None           # in the instruction; None: there is no instruction
    left_out: str | None        # its state, if no answer contains it
    target: float               # share of the new clients
    chance: float               # probability that an answer contains it
    given: int                  # answers that contained it
    expected: float             # answers that should have contained it
    given_share: float | None   # share of the new clients in the recent window
    expected_share: float | None
    reachable: bool | None      # from the DNS service; None: not tried
    unreachable: str | None     # why it is not reachable


class Family(NamedTuple):
    """How DNS answers queries for one family of addresses, A or AAAA."""

    family: str
    mode: str | None            # in force; None: no process has reported it
    size: int                   # addresses in an answer
    panic: bool
    proxies: tuple


class DnsPage(NamedTuple):
    """The parts of the DNS service's document that `why --dns` uses."""

    node: str
    zone: str
    names: tuple                # names that resolve to the proxies
    ns: dict                    # host -> its addresses
    mode: str                   # in the conf
    ttl: float | None
    usual_ttl: float
    suspects: tuple             # nodes that make the TTL shorter
    serial: int | None
    without_instruction: str | None     # why there is no instruction
    window: float               # seconds of the recent window
    resolvers: int | None
    families: tuple


def parse(body, url):
    """Return the DnsPage in `body`, bytes from `url`; raises StatusError for any other document."""
    families = records(Family, proxies=records(DnsProxy))
    return of_daemon(body, url, 'swift-lb-dns', 'a DNS service', FORMAT, partial(
        record, DnsPage, ns=_servers, families=families))


def _servers(raw):
    return {text(host): texts(addresses) for host, addresses in raw.items()}
