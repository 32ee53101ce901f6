"""The servers of the zone in the conf: hosts of NS records, and their fixed addresses."""
from types import MappingProxyType

from swift_lb.config import InvalidError, part, refuse, tried
from swift_lb.service.dns.addresses import unicast
from swift_lb.service.dns.names import ZONE, bare, domain, misplaced
from swift_lb.service.dns.proxies import entries
from swift_lb.zone.records import text_of


def ns(zone):
    """Return a parser of `HOST[=IP], ...` into {name: (IP, ...)}, for `zone` if it is known."""
    def parse(text):
        found = {}
        given, wrong = tried(lambda word: name_server(word, zone), entries(text))
        for host, ip in given:
            before = found.setdefault(host, [])
            if ip in before:
                wrong.append(f'{text_of(host)}={ip} is there twice')
            before += [] if ip is None else [ip]
        refuse(wrong)
        return MappingProxyType({host: tuple(map(str, ips)) for host, ips in found.items()})
    return parse


def name_server(word, zone):
    """Parse one HOST or HOST=IP."""
    text, equals, ip = word.partition('=')
    if not text or (equals and not ip):
        raise InvalidError('must be HOST or HOST=IP, such as ns1.lb.example.com=192.0.2.1')
    host = ZONE if text == '@' else part('host', domain, text)
    fault = None if zone is None else unfit(host, zone, bool(ip))
    if fault is not None:
        raise InvalidError(fault)
    return host, part('address', unicast, ip) if ip else None


def unfit(host, zone, addressed):
    """Return what is wrong with an NS host of a zone, else None."""
    if host in (ZONE, zone):
        return 'must not be the zone itself, but a host in it, or elsewhere'
    if bare(host):
        return misplaced(host, zone)
    if host.is_subdomain(zone) and not addressed:
        return f'must have an address, {text_of(host)}=IP, as it is in the zone {text_of(zone)}'
    if addressed and not host.is_subdomain(zone):
        return (f'must have no address, as it is not in the zone {text_of(zone)}: that of its own '
                'zone holds')
    return None


