"""Parsers of domain names in the conf: the zone, its servers, the proxies' names, hostmaster."""
import re
from types import MappingProxyType

import dns.name

from swift_lb.config import InvalidError, each, parse_piece, refuse, tried, words
from swift_lb.service.dns.addresses import entries, unicast
from swift_lb.zone.records import text_of

# Letters, digits and hyphens (RFC 952, 1123), and the underscore, which some hosts have.
LABEL = re.compile(r'[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?')
MAILBOX = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,63}")      # before the @; RFC 5322's atoms
MAX_NAME = 253              # characters of a name: 255 bytes on the wire (RFC 1035 3.1)
MAX_ZONE = 200      # characters of the zone's name; names in the zone are longer
ZONE = dns.name.empty   # `@`, before the zone is known


def domain(text):
    """Parse a domain name, with or without a final dot, into an absolute one in lower case."""
    labels = text.removesuffix('.').split('.')
    if (sum(map(len, labels)) + len(labels) - 1 > MAX_NAME or labels[-1].isdecimal()
            or not all(map(LABEL.fullmatch, labels))):
        raise InvalidError('must be a domain name, such as lb.example.com')
    return dns.name.from_text(text.lower())


def zone(text):
    """Parse the name of the zone, which needs two labels or more; raises InvalidError."""
    if len(text) > MAX_ZONE:
        raise InvalidError(f'must have {MAX_ZONE} characters at most')
    if '.' not in text:
        raise InvalidError('must be a full name, such as lb.example.com')
    return domain(text)


def names(zone):
    """Return a parser of `NAME, *.NAME, @` into a tuple of domain names, each once.

    If `zone` is not None, the parser raises InvalidError for a name that is not in it.
    """
    return lambda text: tuple(dict.fromkeys(each(lambda word: proxy_name(word, zone), words(text))))


def proxy_name(text, zone):
    """Parse `@`, NAME or `*.NAME` into a domain name; `@` is `zone`, all others must be in it.

    If `zone` is None, `@` is the empty name, and others may be in any zone. Raises InvalidError.
    """
    if text == '@':
        return zone or ZONE
    parsed = under_star(domain(text[2:])) if text.startswith('*.') else domain(text)
    fault = misplaced(parsed, zone) if zone else None
    if fault is not None:
        raise InvalidError(fault)
    return parsed


def under_star(name):
    """Return the wildcard name `*.NAME` of a domain name; raises InvalidError if too long."""
    try:
        return dns.name.Name((b'*', *name.labels))
    except Exception:   # whatever dnspython has to say: service/dns/__init__.py
        raise InvalidError('must be shorter') from None


def misplaced(name, zone):
    """Return the fault, a sentence, if `name` is not in the zone, else None."""
    if name.is_subdomain(zone):
        return None
    instead = f': write {text_of(name)}.{text_of(zone)}' if bare(name) else ''
    return f'must be in the zone {text_of(zone)}{instead}'


def bare(name):
    """Return whether a domain name has only one label, not counting the * of a wildcard."""
    return len(name) == (3 if name.is_wild() else 2)


def hostmaster(text):
    """Parse a mail address, or the domain name that stands for it in an SOA, into a domain name."""
    local, at, host = text.rpartition('@')
    try:
        name = domain(host)
        if at and MAILBOX.fullmatch(local):
            return dns.name.Name((local.encode(), *name.labels))
        if not at and not bare(name):
            return name
    except Exception:
        pass            # likewise
    raise InvalidError('must be a mail address, such as hostmaster@example.com')


def hostmaster_of(zone):
    """Return the default mail address for the SOA of a zone: hostmaster@ZONE (RFC 2142 7)."""
    return dns.name.Name((b'hostmaster', *zone.labels))


def ns(zone):
    """Return a parser of name servers, `HOST[=IP], ...`, into {name: (IP, ...)}.

    If `zone` is not None, a server in the zone must have an IP; others must have none.
    """
    def parse(text):
        servers = {}
        given, wrong = tried(lambda word: name_server(word, zone), entries(text))
        for host, ip in given:
            before = servers.setdefault(host, [])
            if ip in before:
                wrong.append(f'{text_of(host)}={ip} is there twice')
            before += [] if ip is None else [ip]
        refuse(wrong)
        return MappingProxyType({host: tuple(map(str, ips)) for host, ips in servers.items()})
    return parse


def name_server(word, zone):
    """Parse HOST or HOST=IP into (domain name, ipaddress object or None); raises InvalidError.

    If `zone` is not None, the host must be fit for it, as unfit() decides.
    """
    text, equals, ip = word.partition('=')
    if not text or (equals and not ip):
        raise InvalidError('must be HOST or HOST=IP, such as ns1.lb.example.com=192.0.2.1')
    host = ZONE if text == '@' else parse_piece('host', domain, text)
    fault = None if zone is None else unfit(host, zone, bool(ip))
    if fault is not None:
        raise InvalidError(fault)
    return host, parse_piece('address', unicast, ip) if ip else None


def unfit(host, zone, addressed):
    """Return why `host` cannot be a name server of the zone, a sentence, or None if it can.

    `addressed` is whether the conf gives it an IP address: it must have one if it is in the zone.
    """
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


