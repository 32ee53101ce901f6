"""The DNS zone: its names, and the records of each name. Pure.

The zone has an apex (SOA, NS), the hosts that serve it, with fixed addresses, and the names of the
proxies, whose addresses come from sequences of prepared answers. It is not signed, and delegates
nothing.

Names in records are compressed to pointers to the question's name and to each other. The pointer in
the SOA of a negative answer depends on the length of the question's name, so there is one SOA for
each length.
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


class ZoneAnswer(NamedTuple):
    """The answer to a question: its rcode and its records, without the question itself."""

    rcode: int
    result: str                 # the value of the metrics' label
    answers: tuple = ()         # records; or
    sequence: int | None = None     # the address family whose sequence gives the records
    authority: tuple = ()
    additional: tuple = ()


OUTSIDE = ZoneAnswer(REFUSED, 'refused')
# Largest ratio of the bytes of an NS answer to those of its question, both without EDNS; beyond it
# the servers' addresses are left out. This bounds amplification towards a forged address.
MAX_GROWTH = 3.5


class Zone:
    """A DNS zone: the records of every name in it."""

    def __init__(self, options, serial, ttl):
        """Take DnsOptions, the SOA's serial number, and the proxies' TTL in seconds."""
        self._zone, self._apex, self._ttl = options.zone, wire_of(options.zone), ttl
        self._soa = self._soa_of(options, serial)
        self._negative_ttl = min(options.ns_ttl, options.negative_ttl)
        self._negative = {}     # (rcode, length of the question's name) -> ZoneAnswer
        proxies = self._proxies(options, ttl)
        self._names = {wire_of(name): dict(proxies) for name in options.names}
        for host, addresses in options.ns.items():
            if host.is_subdomain(options.zone):
                self._names[wire_of(host)] = addresses_of(SAME_NAME, addresses, options.ns_ttl)
        self._names.setdefault(self._apex, {}).update(self._of_apex(options))
        self._add_empty_names()
        self.names = frozenset(name[:-1] for name in self._names)   # without the root's NUL

    def _soa_of(self, options, serial):
        """Return the data of the SOA record as names and bytes, which a Compressor takes."""
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
        if question + sum(map(len, servers + glue)) > MAX_GROWTH * question:
            glue = ()
        return {SOA: ZoneAnswer(NOERROR, 'answer', (soa,)),
                NS: ZoneAnswer(NOERROR, 'answer', servers, additional=glue)}

    def _without(self, rcode, result, name):
        """Return the negative ZoneAnswer for `name`, which has only the zone's SOA record.

        `rcode` is NXDOMAIN or NOERROR, `result` its label in the metrics.
        """
        answer = self._negative.get((rcode, len(name)))
        if answer is None:
            soa = Compressor(self._zone, len(name)).record(
                self._zone, SOA, self._negative_ttl, *self._soa)
            answer = self._negative[rcode, len(name)] = ZoneAnswer(rcode, result, authority=(soa,))
        return answer

    def _proxies(self, options, ttl):
        """Return {record type: ZoneAnswer} of a name that stands for all proxies.

        It has A or AAAA only if a proxy has such an address.
        """
        answers = {family: ZoneAnswer(NOERROR, 'answer', sequence=family)
                   for number, family in enumerate(FAMILIES)
                   if any(addresses[number] for addresses in options.proxies.values())}
        for rdata in options.records:
            record = with_data(SAME_NAME, rdata.rdtype, ttl, rdata)
            answers[rdata.rdtype] = ZoneAnswer(NOERROR, 'answer', (record,))
        return answers

    def _add_empty_names(self):
        """Add the parents of all names, which exist in DNS even without records (RFC 8020)."""
        for name in list(self._names):
            above = parent(name)
            while len(above) > len(self._apex):
                self._names.setdefault(above, {})
                above = parent(above)

    def find(self, name, qtype, qclass):
        """Return the ZoneAnswer to a question; `name` is in wire format and in lower case."""
        if qclass != IN or qtype in (AXFR, IXFR):    # class CH too: it would reveal our version
            return OUTSIDE
        has = self._names.get(name)
        if has is None:
            has = self._by_wildcard(name)
        if has is None:
            return self._without(NXDOMAIN, 'nxdomain', name) if self._is_inside(name) else OUTSIDE
        if qtype == ANY and has:
            return ZoneAnswer(NOERROR, 'answer', (record(SAME_NAME, HINFO, self._ttl, RFC_8482),))
        return has.get(qtype) or self._without(NOERROR, 'nodata', name)

    def _by_wildcard(self, name):
        """Return the answers of the wildcard that covers `name`, a name that does not exist.

        They are {record type: ZoneAnswer}, or None without such a wildcard (RFC 4592).
        """
        above = parent(name)
        while len(above) > len(self._apex) and above not in self._names:
            above = parent(above)
        return self._names.get(b'\1*' + above)

    def _is_inside(self, name):
        while len(name) > len(self._apex):
            name = parent(name)
        return name == self._apex


def addresses_of(owner, addresses, ttl):
    """Return {record type: ZoneAnswer} of a host that has the fixed `addresses`, IPs as texts.

    `owner` is the name of the records in wire format, `ttl` is in seconds.
    """
    answers = {}
    for address in addresses:
        family = family_of(address)
        records = answers[family].answers if family in answers else ()
        records += (record(owner, family, ttl, address),)
        answers[family] = ZoneAnswer(NOERROR, 'answer', records)
    return answers


def family_of(address):
    """Return the record type of an IP address, a text: A or AAAA."""
    return AAAA if ':' in address else A


def parent(name):
    """Return `name` without its first label, both in wire format; the root is its own parent."""
    return name[name[0] + 1:] or name
