"""Each option of [lb-dns], and what parses it; an empty text is at its default."""
import contextlib
import re

from swift_lb.config import InvalidError, one_of
from swift_lb.service.dns.addresses import ips, networks, one_ip, server
from swift_lb.service.dns.https import https
from swift_lb.service.dns.keys import cookie_key, update_key
from swift_lb.service.dns.name_servers import ns
from swift_lb.service.dns.names import domain, hostmaster, names, zone
from swift_lb.service.dns.proxies import proxies
from swift_lb.service.option_types import key, matching, node_name, optional, whole, within

MODES = ('ordered', 'membership', 'auto', 'single', 'all', 'rfc2136')
ALGORITHMS = ('hmac-sha256', 'hmac-sha384', 'hmac-sha512')      # RFC 8945 6
DAY, LONGEST = 86400, 2**31 - 1         # seconds; the latter is the most that DNS has (RFC 2181 8)
SHOWN = re.compile('[!-~]{1,64}')


def encoded(parse):
    """Return a parser of text that the wire has as bytes."""
    return lambda text: parse(text).encode()


port, ttl, soa = whole(1, 65535), whole(1, DAY), whole(1, LONGEST)
OPTIONS = {name: optional(parse) for name, parse in {
    'node': node_name, 'zone': zone, 'names': names(None), 'ns': ns(None), 'hostmaster': hostmaster,
    'proxies': proxies, 'https': https, 'bind_ip': ips, 'instruction_file': str,
    'rrl_exempt': networks, 'cookie_key': cookie_key, 'cookie_key2': cookie_key,
    'nsid': encoded(matching(SHOWN, 'letters, digits and signs, 64 at most')),
    'http_ip': one_ip, 'http_key': key,
    'update_server': server, 'update_key_name': domain, 'update_key': update_key,
}.items()} | {
    'mode': one_of(*MODES), 'ttl': ttl, 'ttl_min': ttl, 'patience': whole(0, DAY), 'ns_ttl': soa,
    'negative_ttl': ttl, 'refresh': soa, 'retry': soa, 'expire': soa, 'bind_port': port,
    'workers': whole(1, 64),
    'tcp_clients': whole(1, 100_000), 'tcp_timeout': within(0.1, 3600.0),
    'rrl_rate': whole(0, 1_000_000), 'rrl_slip': whole(0, 100), 'proxy_port': whole(0, 65535),
    'http_port': port, 'update_algorithm': one_of(*ALGORITHMS),
    'update_interval': within(0.1, 3600.0),
}


def options_in(text):
    """Return OPTIONS for the zone `text`, if it is one."""
    with contextlib.suppress(InvalidError):
        there = zone(text)
        return OPTIONS | {'names': optional(names(there)), 'ns': optional(ns(there))}
    return OPTIONS
