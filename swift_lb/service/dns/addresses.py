"""Parsers of IP addresses and networks in the conf."""
import ipaddress

from swift_lb.config import InvalidError, each, host_port, words

DNS_PORT = 53
THIS_NETWORK = ipaddress.ip_network('0.0.0.0/8')        # RFC 1122 3.2.1.3
BROADCAST = ipaddress.ip_address('255.255.255.255')


def address(text):
    """Parse an IP address."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise InvalidError('must be an IP address') from None


def unicast(text):
    """Parse an IP address to which clients can connect."""
    ip = address(text)
    kinds = {
        'IPv4-mapped': getattr(ip, 'ipv4_mapped', None) is not None,
        'unspecified': ip.is_unspecified or (ip.version == 4 and ip in THIS_NETWORK),
        'broadcast': ip == BROADCAST, 'multicast': ip.is_multicast,
        'link-local': ip.is_link_local or bool(getattr(ip, 'scope_id', None)),
        'reserved': ip.is_reserved and not ip.is_loopback,
    }
    for kind, is_so in kinds.items():
        if is_so:
            raise InvalidError(f'is {kind}, which clients can not connect to')
    return ip


def is_loopback(text):
    """Return whether an address is a loopback address."""
    return ipaddress.ip_address(text).is_loopback


def ips(text):
    """Parse IP addresses into a tuple of texts in canonical form."""
    return tuple(dict.fromkeys(str(ip) for ip in each(address, words(text))))


def one_ip(text):
    """Parse one IP address into a text in canonical form."""
    return str(address(text))


def network(text):
    """Parse a network, or a single address as a network."""
    try:
        found = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InvalidError('must be a network, such as 192.0.2.0/24') from None
    if ipaddress.ip_interface(text).ip != found.network_address:
        raise InvalidError(f'must be a network: write {found}')
    return found


def networks(text):
    """Parse networks."""
    return tuple(dict.fromkeys(each(network, words(text))))


def server(text):
    """Parse HOST[:PORT] of a DNS server."""
    if len(words(text)) != 1:
        raise InvalidError('must be one HOST or HOST:PORT')
    return host_port(text, DNS_PORT)
