"""Sentences about the answers of a DNS service. Pure."""
from swift_lb.console import units
from swift_lb.console.cluster_table import several
from swift_lb.console.dns_name import EMPTY, MISSING, OUTSIDE, SERVER, ZONE
from swift_lb.errors import StatusError
from swift_lb.zone.deck import PUSHING

OF_ZONE = {         # descriptions of names that do not resolve to proxies
    SERVER: '{name} is a host that serves the zone {zone}: {addresses}, whatever the load',
    ZONE: '{name} is the zone itself, and none of the names that mean the proxies: there are SOA '
          'and NS, and no addresses',
    EMPTY: '{name} has nothing of its own in the zone {zone}: there are names below it (NODATA)',
    MISSING: '{name} does not exist in the zone {zone} (NXDOMAIN)',
}
MODES = {
    'membership': 'in as many answers as its share is due',
    'single': 'in as many answers as its share is due',
    'ordered': 'all are in each answer, the lightest first more often; most resolvers shuffle them',
    'all': 'all are in each answer, in random order',
    'rfc2136': 'all that are well are in each answer',
}
CHOOSING, CLOSE = ('membership', 'single'), 1e-6
LEFT_OUT = {        # state: why no answer contains the node
    'unheard': 'no agent has heard of it for a while', 'gone': 'it is not heard any more',
    'late': 'its report is overdue', 'draining': 'its operator drains it',
    'disabled': 'its operator has switched it off', 'rejected': 'its load is too high',
    'critical': 'its load is so high that it is to shed',
}


def about(name, what, covering, page):
    """Describe a name in the zone of a DnsPage; raises StatusError for a name outside of the zone.

    `covering` is the configured name, perhaps a wildcard, that covers it.
    """
    if what == OUTSIDE:
        raise StatusError(f'{name} is not in the zone {page.zone}, which is all that {page.node} '
                          'answers for')
    if what not in OF_ZONE:
        by = '' if covering == name else f', by {covering}'
        return f'{name} means the proxies{by}, in the zone {page.zone}'
    addresses = ', '.join(page.ns.get(name, ())) or 'no address'
    sentence = OF_ZONE[what].format(name=name, zone=page.zone, addresses=addresses)
    return sentence if what == SERVER else f'{sentence}; the proxies are {several(page.names)}'


def heading(url, page):
    """Yield lines about all answers of a DnsPage."""
    if page.ttl is None:
        yield f'{page.node} ({url}) does not answer: no process of it has told anything yet'
        return
    pushing = page.mode == PUSHING
    yield (f'as {page.node} ({url}) ' + (
        f'has the server of the zone answer: {ttl(page)}' if pushing else
        f'answers: {ttl(page)}, serial {page.serial}, '
        f'{units.plural(page.resolvers or 0, "resolver")} seen in a TTL'))
    if page.without_instruction is not None:
        then = 'no update is sent' if pushing else 'all have equal chances'
        yield f'without an instruction {then}: {page.without_instruction}'


def ttl(page):
    """Return a sentence on the TTL of answers, and its reason."""
    sentence = f'TTL {page.ttl:g} s'
    if page.ttl < page.usual_ttl:
        sentence += (f' (usually {page.usual_ttl:g} s, less while a state may soon be another: '
                 f'{several(page.suspects) or "that of a node"})')
    return sentence


def answers_of(family, page):
    """Return a sentence on how the addresses of a Family are chosen."""
    if family.mode is None:
        return f'{family.family}: not answered'
    mode = family.mode if page.mode == family.mode else f'{page.mode}, now {family.mode}'
    return (f'{family.family}: {family.size} of {len(family.proxies)} addresses in an answer, mode '
            f'{mode}' + ('; panic: most look bad, so that bad ones are in too'
                         if family.panic else ''))


def reason(proxy, family, page):
    """Return why a proxy has its share of the answers; adds whether it is unreachable."""
    reasons = [why(proxy, family, page)]
    if proxy.reachable is False:
        reasons.append(f'not reached from {page.node}: {proxy.unreachable}')
    return '; '.join(reasons)


def why(proxy, family, page):
    """Return why a proxy has its share of the answers."""
    if proxy.left_out is not None:
        return f'left out: {LEFT_OUT.get(proxy.left_out, f"it is {proxy.left_out}")}'
    if family.mode is None:
        return units.UNKNOWN
    if page.without_instruction is not None:
        return 'as all others'
    if proxy.state not in (None, 'up'):
        return f'it is {proxy.state}, and in as the others are no better'
    due = proxy.target * family.size
    if family.mode in CHOOSING and due > proxy.chance + CLOSE:
        return f'in all answers: a share of more than 1/{family.size} can not be given'
    if family.mode in CHOOSING and due < proxy.chance - CLOSE:
        return 'in more answers than its share is due: another can not be given all of its own'
    return MODES.get(family.mode, units.UNKNOWN)
