"""Checks that find missing options in [lb-dns] and options that contradict each other."""
from swift_lb.service.dns.addresses import all_loopback, is_loopback
from swift_lb.zone.records import text_of
from swift_lb.zone.sequence import PUSHING

UPDATE = {              # the options of mode rfc2136: what each has to be
    'update_server': 'HOST[:PORT] of the primary server of the zone',
    'update_key_name': 'the name of the key, as the server has it',
    'update_key': 'the key itself, in base64'}


def contradictions(own, wrong, ttl, where):
    """Return a list with a sentence for each missing option and each contradiction.

    `own` is {option: value, or '' for its default}; options named in `wrong` have been reported
    already. `ttl` is the default TTL; `where`, file and section, begins each sentence.
    """
    return [f'{where}, {sentence}' for sentence in (
        *missing(own, wrong), *of_ttl(own, wrong, ttl), *of_keys(own, wrong), *of_ns(own))]


def missing(own, wrong):
    """Return a list with a sentence for each required option that is not set.

    `own` is {option: value}; options named in `wrong` have been reported already.
    """
    mode = own.get('mode')
    needed = {
        'zone': 'the domain that the parent zone delegates to these nodes, such as lb.example.com',
        'proxies': 'NODE=IP, ...: the nodes, as their agents name them, and where clients find '
                   'their proxies'}
    if mode == PUSHING:
        needed |= UPDATE
    elif 'mode' not in wrong:
        needed['ns'] = 'HOST=IP, ...: the servers of the zone, as the parent zone has them'
    return [f'{name}: must be set, to {what}' for name, what in needed.items()
            if not own.get(name) and name not in wrong]


def of_ttl(own, wrong, ttl):
    """Return [a sentence] if the option ttl_min is more than the option ttl, else [].

    `own` is {option: value}; `ttl`, in seconds, is the default of the option ttl. Returns [] if
    `wrong`, the options that have been reported already, names ttl.
    """
    longest, least = own.get('ttl', ttl), own.get('ttl_min', 0)
    return [f'ttl_min = {least}: must not be more than ttl = {longest}'] if (
        least > longest and 'ttl' not in wrong) else []


def of_keys(own, wrong):
    """Return a list with a sentence for each key that is set without its companion option.

    cookie_key2 needs cookie_key; update_key and update_key_name need each other. `own` is {option:
    value}; a companion named in `wrong` has been reported already.
    """
    faults = []
    if own.get('cookie_key2') and not own.get('cookie_key') and 'cookie_key' not in wrong:
        faults.append('cookie_key2: holds beside cookie_key while keys are changed; there is no '
                      'cookie_key')
    for name, other in ('update_key', 'update_key_name'), ('update_key_name', 'update_key'):
        if (own.get(name) and not own.get(other) and other not in wrong
                and own.get('mode') != PUSHING):
            faults.append(f'{other}: must be set, as {name} is')
    return faults


def of_ns(own):
    """Return a list with a sentence for each contradiction of `ns` with `names` or `proxies`.

    They are options in `own`, {option: value}.
    """
    ns, zone, proxies = own.get('ns') or {}, own.get('zone'), own.get('proxies')
    names = own.get('names') or ((zone,) if zone else ())
    faults = [f'ns: {text_of(host)} must be none of the names that mean the proxies: their '
              'addresses change, and its must not'
              for host in ns if host in names]
    lab = not proxies or all_loopback(proxies)
    return faults + [f'ns: {ip} of {text_of(host)} is of the loopback interface, and the proxies '
                     'are not' for host, ips in ns.items() for ip in ips
                     if is_loopback(ip) and not lab]
