"""The address at which other clusters reach proxies of this one, in a ClusterSummary. Pure.

    IP:PORT             a proxy, or a balancer in front of some; an IPv6 address is in brackets
    https://HOST:PORT   the same by TLS; HOST is an IP or a name

Without TLS a name is refused: its server shows nothing by which it is known to be the right one.
The last part of a name begins with a letter, as 127.1 and 0x7f.1 are addresses to a resolver.
"""
import functools
import ipaddress
import re
from typing import NamedTuple

from swift_lb.wire.node_report import PROXY

HTTPS = 'https://'
RELAY = re.compile(f'(?:{HTTPS})?{PROXY.pattern}')
LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
HOST_NAME = re.compile(rf'(?:{LABEL}\.)*(?=[a-z]){LABEL}')
LOCALHOST = 'localhost'


class RelayAddress(NamedTuple):
    """Where to connect to reach another cluster."""

    host: str       # an IP without brackets, or a name in small letters
    port: int
    tls: bool

    @property
    def is_elsewhere(self):
        """Whether this can be another host's address: loopback and link-local ones cannot."""
        try:
            ip = ipaddress.ip_address(self.host)
        except ValueError:
            return self.host.rpartition('.')[2] != LOCALHOST
        ip = getattr(ip, 'ipv4_mapped', None) or ip
        return not (ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_unspecified)

    @property
    def text(self):
        """The address in the one spelling that is told to other clusters."""
        host = f'[{self.host}]' if ':' in self.host else self.host
        return f'{HTTPS if self.tls else ""}{host}:{self.port}'


@functools.lru_cache(maxsize=1024)
def relay_address(text):
    """Return the RelayAddress of a text; raises ValueError for any other text."""
    if RELAY.fullmatch(text) is None:
        raise ValueError(f'{text!r} is no address of a relay')
    tls = text.startswith(HTTPS)
    host, _colon, port = text.removeprefix(HTTPS).rpartition(':')
    if not 0 < int(port) <= 65535:
        raise ValueError(f'{text!r} has no port from 1 to 65535')
    try:
        host = str(ipaddress.ip_address(host.strip('[]')))
    except ValueError:
        host = host.lower()
        if not tls or HOST_NAME.fullmatch(host) is None:
            raise
    return RelayAddress(host, int(port), tls)


def without_scheme(relay):
    """Return HOST:PORT of a relay's text, as a Hop names the proxy that it is for."""
    return relay.removeprefix(HTTPS)
