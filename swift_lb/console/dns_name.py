"""The relation of a name to a DNS zone: proxies' name, other name, or not existing. Pure."""
import dns.name

from swift_lb.errors import StatusError

PROXIES, SERVER, ZONE, EMPTY, MISSING, OUTSIDE = (
    'proxies', 'server', 'zone', 'empty', 'missing', 'outside')


def name_of(given):
    """Return the dnspython name of a text in lower case; raises StatusError if it is invalid.

    The dot at its end is optional; characters that are not ASCII are encoded by IDNA.
    """
    try:
        return dns.name.from_text(given.strip()).canonicalize()
    except Exception as err:    # of dnspython, of which a process may have two copies
        raise StatusError(f'{given!r} is not a domain name: {err}') from None


def standing(name, page):
    """Return (what `name` is in the zone of a DnsPage, the name that covers it if any)."""
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
    existing = {above for one in names | hosts for above in upwards(one, zone)}
    if name in existing:
        return EMPTY, None      # it exists, because names below it exist (RFC 8020)
    nearest = next(above for above in upwards(name, zone) if above in existing | {zone})
    wildcard = dns.name.Name((b'*', *nearest.labels))       # RFC 4592 3.3.1
    return (PROXIES, wildcard) if wildcard in names else (MISSING, None)


def upwards(name, zone):
    """Yield `name` and its ancestors, up to the zone; nothing for a name outside of the zone."""
    if name.is_subdomain(zone):
        for labels in range(len(name), len(zone) - 1, -1):
            yield name.split(labels)[1]
