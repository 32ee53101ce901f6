"""The limit of UDP answers to one network (RRL), against floods from forged addresses. Pure.

A network gets `rate` answers. When they are used up, it gets as many again if a second has passed
since it last did. So a client that sends at most `rate` queries a second is never limited, and no
network gets more than 2 x `rate` answers in any second. A limited query is dropped, but each
`slip`-th limited query gets an answer with the flag TC and no records, which is no longer than the
query: a real client then repeats the query by TCP.

    network     /24 of IPv4, /56 of IPv6, as in BIND's rate-limit
    MAX_NETWORKS    networks whose allowances are kept; if there are more, all are dropped. A
                process answers some 50,000 queries a second, so a flood from as many forged
                networks drops them once a second, which gives a network `rate` more answers
"""
from math import inf

from swift_lb.zone.address import packed

PASS, SLIP, DROP = range(3)
MAX_NETWORKS = 50_000
SECOND = 1.0
BYTES = {4: 3, 16: 7}               # of an address: those of its network, /24 and /56
LEFT, SINCE, LIMITED = range(3)     # of an allowance: answers left, refill time, limited queries


class RateLimit:
    """Limits the UDP answers to each client network; keeps how many each may still get."""

    __slots__ = ('_exempt', '_free', '_of_ip', '_of_network', '_rate', '_slip')

    def __init__(self, rate, slip, exempt=()):
        """Take `rate`, answers per second or 0 for no limit, and `slip`.

        Each `slip`-th limited query is answered with TC, none if `slip` is 0. `exempt` are
        ipaddress networks without a limit.
        """
        self._rate, self._slip = rate or inf, slip
        self._exempt = [prefix(network) for network in exempt]
        self._free = [inf, 0.0, 0]                  # the allowance of exempt clients
        self._of_ip, self._of_network = {}, {}      # both map to the same allowances

    def verdict(self, ip, now):
        """Return PASS, SLIP (answer with TC) or DROP for a query from `ip` at `now`, in seconds."""
        allowance = self._of_ip.get(ip)
        if allowance is None:
            allowance = self._remembered(ip, now)
        left = allowance[0]     # LEFT, as a literal: this runs for every query
        if left > 0:
            allowance[0] = left - 1
            return PASS
        return self._at_the_end(allowance, now)

    def _at_the_end(self, allowance, now):
        """Return the verdict on a query when the allowance is used up; refill it if that is due."""
        if now - allowance[SINCE] >= SECOND:
            allowance[LEFT], allowance[SINCE] = self._rate - 1, now
            return PASS
        allowance[LIMITED] += 1
        return SLIP if self._slip and allowance[LIMITED] % self._slip == 0 else DROP

    def _remembered(self, ip, now):
        """Return the allowance of the network of a new `ip`, and remember it for this address.

        It is a list: answers left, time of the last refill, number of limited queries.
        """
        if len(self._of_ip) >= MAX_NETWORKS:
            self._of_ip.clear()
            self._of_network.clear()
        allowance = self._of_ip[ip] = self._allowance(ip, now)
        return allowance

    def _allowance(self, ip, now):
        """Return the allowance of the network of `ip`; a text that is no address is not limited."""
        try:
            address = packed(ip)
        except ValueError:
            return self._free
        if self._is_exempt(address):
            return self._free
        network = address[:BYTES[len(address)]]
        return self._of_network.setdefault(network, [self._rate, now, 0])

    def _is_exempt(self, address):
        """Return whether an address, as bytes, is in an exempt network."""
        number = int.from_bytes(address, 'big')
        for length, shift, value in self._exempt:       # any() takes three times as long
            if length == len(address) and number >> shift == value:
                return True
        return False


def prefix(network):
    """Return a network as (4 or 16, bits of the host part, network part as an int).

    4 or 16 is the length in bytes of its addresses.
    """
    address = network.network_address
    shift = address.max_prefixlen - network.prefixlen
    return len(address.packed), shift, int(address) >> shift
