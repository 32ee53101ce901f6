"""The kind of a name in a DNS service's zone, and sentences about the answers for it. Pure."""
import dns.name

from swift_lb.console import units
from swift_lb.console.cluster_table import several
from swift_lb.errors import StatusError
from swift_lb.zone.sequence import PUSHING

PROXIES, SERVER, ZONE, EMPTY, MISSING, OUTSIDE = (
    'proxies', 'server', 'zone', 'empty', 'missing', 'outside')
OF_ZONE = {         # descriptions of names that do not resolve to proxies
    SERVER: '{name} is a host that serves the zone {zone}: {addresses}, whatever the load',
    ZONE: '{name} is the zone itself, not a name of the proxies: it has SOA and NS records, and no '
          'addresses',
    EMPTY: '{name} has no records in the zone {zone}: it exists because of names below it (NODATA)',
    MISSING: '{name} does not exist in the zone {zone} (NXDOMAIN)',
}
MODES = {
    'membership': 'in as many answers as its share is due',
    'single': 'in as many answers as its share is due',
    'ordered': 'all are in each answer, the least loaded first more often; most resolvers shuffle '
               'them',
    'all': 'all are in each answer, in random order',
    'rfc2136': 'all healthy nodes are in each answer',
}
CHOOSING = 'membership', 'single'
CLOSE = 1e-3        # a difference of shares that the tables, in tenths of a percent, do not show
LEFT_OUT = {        # state: why no answer contains the node
    'unheard': 'no agent has had a report of it for a while', 'gone': 'its reports have stopped',
    'late': 'its report is overdue', 'draining': 'its operator drains it',
    'disabled': 'its proxy does not answer, or its healthcheck says so',
    'rejected': 'its load is too high',
    'critical': 'its load is so high that it should shed requests',
}


def name_of(text):
    """Return `text` as a dnspython name in lower case; raises StatusError if it is invalid.

    The dot at its end is optional; characters that are not ASCII are encoded by IDNA.
    """
    try:
        return dns.name.from_text(text.strip()).canonicalize()
    except Exception as err:    # dnspython's: a process may have two copies of its classes
        raise StatusError(f'{text!r} is not a domain name: {err}') from None


def standing(name, page):
    """Return (what `name` is in the zone of a DnsPage, the configured name that covers it or None).

    What it is: PROXIES (a name of the proxies), SERVER (a name server), ZONE (apex), EMPTY (only
    names below it have records), MISSING or OUTSIDE. The name that covers it is `name` itself or
    a wildcard.
    """
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
    """Yield `name`, its parent and so on up to `zone`; nothing if `name` is outside of the zone."""
    if name.is_subdomain(zone):
        for labels in range(len(name), len(zone) - 1, -1):
            yield name.split(labels)[1]


def about(name, what, covering, page):
    """Return a sentence on a name in a DnsPage's zone; raises StatusError for one outside of it.

    `what` and `covering`, the configured name that covers it, are the results of standing().
    """
    if what == OUTSIDE:
        raise StatusError(f'{name} is not in the zone {page.zone}, the only zone of {page.node}')
    if what not in OF_ZONE:
        by = '' if covering == name else f', by {covering}'
        return f'{name} resolves to the proxies{by}, in the zone {page.zone}'
    addresses = ', '.join(page.ns.get(name, ())) or 'no address'
    sentence = OF_ZONE[what].format(name=name, zone=page.zone, addresses=addresses)
    return sentence if what == SERVER else f'{sentence}; the proxies are {several(page.names)}'


def heading(url, page):
    """Yield the lines above the tables: which DNS service answers, its TTL, and its instruction."""
    if page.ttl is None:
        yield f'{page.node} ({url}) does not answer: none of its processes has reported yet'
        return
    pushing = page.mode == PUSHING
    yield (f'as {page.node} ({url}) ' + (
        f'updates the server of the zone: {ttl(page)}' if pushing else
        f'answers: {ttl(page)}, serial {page.serial}, '
        f'{units.plural(page.resolvers or 0, "resolver")} seen in a TTL'))
    if page.without_instruction is not None:
        then = 'no update is sent' if pushing else 'all have equal chances'
        yield f'without an instruction {then}: {page.without_instruction}'


def ttl(page):
    """Return a phrase on the TTL of answers and, if it is shorter than usual, the reason."""
    sentence = f'TTL {page.ttl:g} s'
    if page.ttl < page.usual_ttl:
        sentence += (f' (usually {page.usual_ttl:g} s, less while the state of a node may change '
                     f'soon: {several(page.suspects) or "unknown"})')
    return sentence


def answers_of(family, page):
    """Return a sentence: how many of a Family's addresses an answer has, and how it picks them."""
    if family.mode is None:
        return f'{family.family}: not answered'
    mode = family.mode if page.mode == family.mode else f'{page.mode}, now {family.mode}'
    return (f'{family.family}: {family.size} of {len(family.proxies)} addresses in an answer, mode '
            f'{mode}' + ('; panic: most nodes are unfit, so that these are in answers too'
                         if family.panic else ''))


def reason(proxy, family, page):
    """Return why a proxy has its share of a Family's answers and, if it is unreachable, why."""
    reasons = [why(proxy, family, page)]
    if proxy.reachable is False:
        reasons.append(f'not reached from {page.node}: {proxy.unreachable}')
    return '; '.join(reasons)


def why(proxy, family, page):
    """Return why a proxy has its share of a Family's answers: its state, or the mode of answers."""
    if proxy.left_out is not None:
        return f'left out: {LEFT_OUT.get(proxy.left_out, f"it is {proxy.left_out}")}'
    if family.mode is None:
        return units.UNKNOWN
    if page.without_instruction is not None:
        return 'the same chance as all others'
    if proxy.state not in (None, 'up'):
        return f'it is {proxy.state}, but in answers because the others are no better'
    due = proxy.target * family.size
    if family.mode in CHOOSING and due > proxy.chance + CLOSE:
        return f'in all answers: a share above 1/{family.size} is not possible'
    if family.mode in CHOOSING and due < proxy.chance - CLOSE:
        return 'in more answers than its share is due: another node can not get all of its share'
    return MODES.get(family.mode, units.UNKNOWN)
