"""A client's address as bytes, 4 or 16, the same whichever socket it came by. Pure.

A socket of IPv6 that takes IPv4 too shows an IPv4 client as ::ffff:192.0.2.1 (RFC 4291, section
2.5.5.2): that is IPv4.
"""
from ipaddress import IPv6Address

MAPPED = bytes(10) + b'\xff\xff'


def packed(ip):
    """Return the bytes of an address, a text; ValueError if it is none.

    IPv4 without ipaddress, which takes thrice as long: each address of a flood comes by here.
    """
    if ':' in ip:
        return unmapped(IPv6Address(ip).packed)
    address = bytes(map(int, ip.split('.')))
    if len(address) != 4:
        raise ValueError(f'{ip!r} is no address')
    return address


def unmapped(address):
    """Return the bytes of IPv4 in an IPv4-mapped address, and any other as it is."""
    return address[len(MAPPED):] if address.startswith(MAPPED) else address
