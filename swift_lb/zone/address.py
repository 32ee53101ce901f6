"""A client's address as 4 or 16 bytes, the same for every kind of socket. Pure.

An IPv6 socket that also accepts IPv4 shows an IPv4 client as ::ffff:192.0.2.1 (RFC 4291, section
2.5.5.2); such an address is converted to IPv4.
"""
from ipaddress import IPv6Address

MAPPED = bytes(10) + b'\xff\xff'


def packed(ip):
    """Return the 4 or 16 bytes of an IP address, a text; raises ValueError if it is invalid.

    IPv4 is parsed without ipaddress, which takes three times as long: every new address of a flood
    is parsed here.
    """
    if ':' in ip:
        return unmapped(IPv6Address(ip).packed)
    address = bytes(map(int, ip.split('.')))
    if len(address) != 4:
        raise ValueError(f'{ip!r} is no address')
    return address


def unmapped(address):
    """Return the 4 bytes in an IPv4-mapped IPv6 address, any other address unchanged."""
    return address[len(MAPPED):] if address.startswith(MAPPED) else address
