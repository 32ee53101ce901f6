"""The zone: which names there are, and what each of them has. Pure.

The zone has its apex (SOA, NS), the hosts that serve it, with fixed addresses, and the names that
mean the proxies, with addresses that come from decks. Nothing is signed, nothing delegated.

Names in records point to the question's name and to each other. What the SOA of a negative answer
points to depends on the length of the question's name, so there is one SOA for each length.
"""
import struct
from ipaddress import ip_address
from typing import NamedTuple

from swift_lb.wire.dns_query import HEADER, NOERROR, NXDOMAIN, REFUSED
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
    TYPE_AND_CLASS,
    A,
    Compressor,
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
# Largest ratio of the bytes of an NS answer to those of its question, both without EDNS; beyond it
# the servers' addresses are left out. This bounds amplification towards a forged address.
MOST = 3.5


class Zone:
    """What each name has."""

    def __init__(self, options, serial, ttl):
        """Take DnsOptions, the SOA's serial number, and the TTL of the proxies' names in seconds.
        """
        self._zone, self._apex, self._ttl = options.zone, wire_of(options.zone), ttl
        self._soa = self._soa_of(options, serial)
        self._negative_ttl = min(options.ns_ttl, options.negative_ttl)
        self._negative = {}     # (rcode, bytes of the question's name) -> Found
        proxies = self._proxies(options, ttl)
        self._names = {wire_of(name): dict(proxies) for name in options.names}
        for host, addresses in options.ns.items():
            if host.is_subdomain(options.zone):
                self._names[wire_of(host)] = addresses_of(SAME_NAME, addresses, options.ns_ttl)
        self._names.setdefault(self._apex, {}).update(self._of_apex(options))
        self._add_empty_names()
        self.names = frozenset(name[:-1] for name in self._names)   # without the root's NUL

    def _soa_of(self, options, serial):
        """Return the data of the SOA, as a Compressor takes them."""
        return next(iter(options.ns)), options.hostmaster, struct.pack(
            '>5I', serial, options.refresh, options.retry, options.expire, options.negative_ttl)

    def _of_apex(self, options):
        ttl, length = options.ns_ttl, len(self._apex)
        soa = Compressor(self._zone, length).record(self._zone, SOA, ttl, *self._soa)
        compressor = Compressor(self._zone, length)
        servers = tuple([compressor.record(self._zone, NS, ttl, host) for host in options.ns])
        glue = tuple([compressor.record(host, family_of(ip), ttl, ip_address(ip).packed)
                      for host, addresses in options.ns.items() for ip in addresses])
        question = HEADER + length + TYPE_AND_CLASS
        if question + sum(map(len, servers + glue)) > MOST * question:
            glue = ()
        return {SOA: Found(NOERROR, 'answer', (soa,)),
                NS: Found(NOERROR, 'answer', servers, additional=glue)}

    def _without(self, rcode, result, name):
        """Return that `name`, which is in the zone, has no such records, or does not exist."""
        found = self._negative.get((rcode, len(name)))
        if found is None:
            soa = Compressor(self._zone, len(name)).record(
                self._zone, SOA, self._negative_ttl, *self._soa)
            found = self._negative[rcode, len(name)] = Found(rcode, result, authority=(soa,))
        return found

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
            return self._without(NXDOMAIN, 'nxdomain', name) if self._is_inside(name) else OUTSIDE
        if kind == ANY and has:
            return Found(NOERROR, 'answer', (record(SAME_NAME, HINFO, self._ttl, RFC_8482),))
        return has.get(kind) or self._without(NOERROR, 'nodata', name)

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
        family = family_of(address)
        known = found[family].answers if family in found else ()
        found[family] = Found(NOERROR, 'answer', (*known, record(owner, family, ttl, address)))
    return found


def family_of(address):
    """Return the type of the record that has an address."""
    return AAAA if ':' in address else A


def parent(name):
    """Return the name above `name`, both on the wire; the root is above itself."""
    return name[name[0] + 1:] or name
