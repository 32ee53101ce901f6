"""The proxies in the conf: the addresses of each node."""
import re
from types import MappingProxyType

from swift_lb.conf_file import node_name
from swift_lb.config import InvalidError, part, refuse, tried, words
from swift_lb.service.dns.addresses import is_loopback, unicast


def entries(text):
    """Return the entries of `A=B, ...`; blanks around = are ignored."""
    return words(re.sub(r'\s*=\s*', '=', text))


def proxies(text):
    """Parse `NODE=IP, ...` into {node: (IPv4 or None, IPv6 or None)}."""
    found, owners = {}, {}
    given, wrong = tried(proxy, entries(text))
    for node, ip in given:
        slot, family = ip.version == 6, found.setdefault(node, [None, None])
        if ip in owners:
            wrong.append(f'{ip} is there twice, of {owners[ip]} and of {node}')
        elif family[slot] is not None:
            wrong.append(f'{node} has two IPv{ip.version} addresses, {family[slot]} and {ip}')
        owners.setdefault(ip, node)
        family[slot] = str(ip)
    refuse(wrong + out_of_reach(owners))
    return MappingProxyType({node: tuple(family) for node, family in found.items()})


def proxy(word):
    """Parse one NODE=IP."""
    node, equals, ip = word.partition('=')
    if not (node and equals and ip):
        raise InvalidError('must be NODE=IP, such as proxy1=192.0.2.1')
    return part('node', node_name, node), part('address', unicast, ip)


def out_of_reach(owners):
    """Return what is wrong with {address: node} if some, but not all, are loopback addresses."""
    inner = {ip: node for ip, node in owners.items() if ip.is_loopback}
    return [] if len(inner) == len(owners) else [
        f'{ip} of {node} is of the loopback interface: must be one that clients can connect to, or '
        'all must be so, in a lab' for ip, node in inner.items()]


def all_loopback(proxies):
    """Return whether all proxies have loopback addresses, as in a lab on one host."""
    return all(is_loopback(ip) for family in proxies.values() for ip in family if ip)
