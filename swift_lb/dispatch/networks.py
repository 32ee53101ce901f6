"""The networks of clients: a /24 of IPv4 or a /48 of IPv6. Pure."""
import functools
import ipaddress

MAPPED = '::ffff:'


@functools.lru_cache(maxsize=4096)
def network_of(address):
    """Return the network of a client's IP address as text, None if it is no IP address."""
    try:
        ip = ipaddress.ip_address(address.removeprefix(MAPPED))
    except ValueError:
        return None
    bits = 24 if ip.version == 4 else 48
    return str(ipaddress.ip_network(f'{ip}/{bits}', strict=False))
