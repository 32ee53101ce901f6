"""The zone: which names there are, and what each of them has. Pure.

The zone has its apex (SOA, NS), the hosts that serve it, with fixed addresses, and the names that
mean the proxies, with addresses that come from decks. Nothing is signed, nothing delegated.
"""
from typing import NamedTuple

from swift_lb.wire.dns_query import NOERROR, NXDOMAIN, REFUSED
from swift_lb.wire.dns_reply import SAME_NAME
from swift_lb.zone.records import (
    AAAA,
    ANY,
    AXFR,
    FAMILIES,
    HINFO,
    HTTPS,
    IN,
    IXFR,
    NS,
    RFC_8482,
    SOA,
    A,
    record,
    wire_of,
    with_data,
)


class Found(NamedTuple):
    """What there is to be said."""

    rcode: int
    result: str                 # as metrics name it
    answers: tuple = ()         # records; or
    deck: int | None = None     # the family whose deck is dealt from
    authority: tuple = ()
    additional: tuple = ()


OUTSIDE = Found(REFUSED, 'refused')


class Zone:
    """What each name has."""

    def __init__(self, options, serial, ttl):
        """Take DnsOptions, the SOA's serial number, and the TTL of the proxies' names in seconds.
        """
        self._apex, self._ttl = wire_of(options.zone), ttl
        soa = self._soa(options, serial)
        self._negative = (record(self._apex, SOA, min(options.ns_ttl, options.negative_ttl), soa),)
        proxies = self._proxies(options, ttl)
        self._names = {wire_of(name): dict(proxies) for name in options.names}
        for host, addresses in options.ns.items():
            if host.is_subdomain(options.zone):
                self._names[wire_of(host)] = addresses_of(SAME_NAME, addresses, options.ns_ttl)
        self._names.setdefault(self._apex, {}).update(self._of_apex(options, soa))
        self._add_empty_names()

    def _soa(self, options, serial):
        master = next(iter(options.ns))
        return (f'{master} {options.hostmaster} {serial} {options.refresh} {options.retry} '
                f'{options.expire} {options.negative_ttl}')

    def _of_apex(self, options, soa):
        hosts = [(host, addresses) for host, addresses in options.ns.items() if addresses]
        glue = tuple(one for host, addresses in hosts for found in addresses_of(
            wire_of(host), addresses, options.ns_ttl).values() for one in found.answers)
        servers = tuple(record(SAME_NAME, NS, options.ns_ttl, str(host)) for host in options.ns)
        return {SOA: Found(NOERROR, 'answer', (record(SAME_NAME, SOA, options.ns_ttl, soa),)),
                NS: Found(NOERROR, 'answer', servers, additional=glue)}

    def _proxies(self, options, ttl):
        """Return what a name of the proxies has: families that none has an address of it has not.
        """
        found = {family: Found(NOERROR, 'answer', deck=family)
                 for number, family in enumerate(FAMILIES)
                 if any(addresses[number] for addresses in options.proxies.values())}
        if options.https is not None:
            found[HTTPS] = Found(NOERROR, 'answer',
                                 (with_data(SAME_NAME, HTTPS, ttl, options.https),))
        return found

    def _add_empty_names(self):
        """Add the names above others, which exist without having anything (RFC 8020)."""
        for name in list(self._names):
            above = parent(name)
            while len(above) > len(self._apex):
                self._names.setdefault(above, {})
                above = parent(above)

    def find(self, name, kind, class_):
        """Return what a question is answered with; `name` is on the wire, in lower case."""
        if class_ != IN or kind in (AXFR, IXFR):    # CH, too: nothing is told of our version
            return OUTSIDE
        has = self._names.get(name)
        if has is None:
            has = self._by_wildcard(name)
        if has is None:
            return Found(NXDOMAIN, 'nxdomain', authority=self._negative) if (
                self._is_inside(name)) else OUTSIDE
        if kind == ANY and has:
            return Found(NOERROR, 'answer', (record(SAME_NAME, HINFO, self._ttl, RFC_8482),))
        return has.get(kind) or Found(NOERROR, 'nodata', authority=self._negative)

    def _by_wildcard(self, name):
        """Return what the wildcard has that covers `name`, which does not exist (RFC 4592)."""
        above = parent(name)
        while len(above) > len(self._apex) and above not in self._names:
            above = parent(above)
        return self._names.get(b'\1*' + above)

    def _is_inside(self, name):
        while len(name) > len(self._apex):
            name = parent(name)
        return name == self._apex


def addresses_of(owner, addresses, ttl):
    """Return {family: Found} of a host with fixed addresses."""
    found = {}
    for address in addresses:
        family = AAAA if ':' in address else A
        known = found[family].answers if family in found else ()
        found[family] = Found(NOERROR, 'answer', (*known, record(owner, family, ttl, address)))
    return found


def parent(name):
    """Return the name above `name`, both on the wire; the root is above itself."""
    return name[name[0] + 1:] or name
