"""What a name is to a zone: which of them mean the proxies, and which exist. Pure."""
import dns.name

from swift_lb.errors import StatusError

PROXIES, SERVER, ZONE, EMPTY, MISSING, OUTSIDE = (
    'proxies', 'server', 'zone', 'empty', 'missing', 'outside')


def name_of(given):
    """Return the dnspython name that people write so, in lower case; StatusError if it is none.

    With or without the dot at its end; what is not ASCII is as IDNA has it.
    """
    try:
        return dns.name.from_text(given.strip()).canonicalize()
    except Exception as err:    # of dnspython, of which a process may have two copies
        raise StatusError(f'{given!r} is not a domain name: {err}') from None


def standing(name, page):
    """Return (what `name` is to the zone of a DnsPage, the name that covers it if any)."""
    zone = name_of(page.zone)
    if not name.is_subdomain(zone):
        return OUTSIDE, None
    names, hosts = set(map(name_of, page.names)), set(map(name_of, page.ns))
    if name in names:
        return PROXIES, name
    if name in hosts:
        return SERVER, name
    if name == zone:
        return ZONE, zone
    there = {above for one in names | hosts for above in upwards(one, zone)}
    if name in there:
        return EMPTY, None      # it exists, as there are names below it (RFC 8020)
    nearest = next(above for above in upwards(name, zone) if above in there | {zone})
    wildcard = dns.name.Name((b'*', *nearest.labels))       # RFC 4592 3.3.1
    return (PROXIES, wildcard) if wildcard in names else (MISSING, None)


def upwards(name, zone):
    """Yield `name` and those above it, up to the zone; nothing of a name outside it."""
    if name.is_subdomain(zone):
        for labels in range(len(name), len(zone) - 1, -1):
            yield name.split(labels)[1]
