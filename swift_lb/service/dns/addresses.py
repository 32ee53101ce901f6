"""Parsers of addresses in the conf: IP addresses, networks, servers, and nodes with addresses."""
import ipaddress
import re
from types import MappingProxyType

from swift_lb.conf_file import node_name
from swift_lb.config import InvalidError, each, host_port, parse_piece, refuse, tried, words

DNS_PORT = 53
THIS_NETWORK = ipaddress.ip_network('0.0.0.0/8')        # RFC 1122 3.2.1.3
BROADCAST = ipaddress.ip_address('255.255.255.255')


def address(text):
    """Return an IP address as an object of the module ipaddress; raises InvalidError."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise InvalidError('must be an IP address') from None


def unicast(text):
    """Parse an IP address to which clients can connect; return an object of ipaddress.

    Raises InvalidError for others, such as multicast, link-local and unspecified ones.
    """
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
    """Return whether the IP address `text` is on the loopback interface."""
    return ipaddress.ip_address(text).is_loopback


def ips(text):
    """Parse IP addresses into a tuple of texts in canonical form, each once."""
    return tuple(dict.fromkeys(str(ip) for ip in each(address, words(text))))


def one_ip(text):
    """Parse one IP address; return it as a text in canonical form."""
    return str(address(text))


def network(text):
    """Parse a network, or one IP address, into a network of ipaddress; raises InvalidError."""
    try:
        parsed = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InvalidError('must be a network, such as 192.0.2.0/24') from None
    if ipaddress.ip_interface(text).ip != parsed.network_address:
        raise InvalidError(f'must be a network: write {parsed}')
    return parsed


def networks(text):
    """Parse networks such as 192.0.2.0/24 into a tuple of ipaddress objects, each once."""
    return tuple(dict.fromkeys(each(network, words(text))))


def server(text):
    """Parse HOST[:PORT] of a DNS server into (host, port); the default port is 53."""
    if len(words(text)) != 1:
        raise InvalidError('must be one HOST or HOST:PORT')
    return host_port(text, DNS_PORT)


def entries(text):
    """Return a list of the entries of `A=B, ...` as texts `A=B`, without blanks around =."""
    return words(re.sub(r'\s*=\s*', '=', text))


def proxies(text):
    """Parse `NODE=IP, ...` into {node: (IPv4 or None, IPv6 or None)}; raises InvalidError."""
    addresses, owners = {}, {}
    given, wrong = tried(proxy, entries(text))
    for node, ip in given:
        slot, family = ip.version == 6, addresses.setdefault(node, [None, None])
        if ip in owners:
            wrong.append(f'{ip} is there twice, of {owners[ip]} and of {node}')
        elif family[slot] is not None:
            wrong.append(f'{node} has two IPv{ip.version} addresses, {family[slot]} and {ip}')
        owners.setdefault(ip, node)
        family[slot] = str(ip)
    refuse(wrong + out_of_reach(owners))
    return MappingProxyType({node: tuple(family) for node, family in addresses.items()})


def proxy(word):
    """Parse NODE=IP into (node, ipaddress object); raises InvalidError."""
    node, equals, ip = word.partition('=')
    if not (node and equals and ip):
        raise InvalidError('must be NODE=IP, such as proxy1=192.0.2.1')
    return parse_piece('node', node_name, node), parse_piece('address', unicast, ip)


def out_of_reach(owners):
    """Return a list of sentences, one for each loopback address in `owners`, {address: node}.

    It is empty if all addresses are loopback ones, as in a lab.
    """
    inner = {ip: node for ip, node in owners.items() if ip.is_loopback}
    return [] if len(inner) == len(owners) else [
        f'{ip} of {node} is of the loopback interface: must be one that clients can connect to, or '
        'all must be so, in a lab' for ip, node in inner.items()]


def all_loopback(proxies):
    """Return whether all addresses in `proxies` are loopback ones, as in a lab on one host.

    `proxies` is {node: (IPv4 or None, IPv6 or None)}.
    """
    return all(is_loopback(ip) for family in proxies.values() for ip in family if ip)
