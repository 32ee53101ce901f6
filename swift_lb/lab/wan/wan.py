"""Start, change and end the wide-area network of this machine: `up`, `change`, `down`."""
import json
import shutil
import socket
import sys
from contextlib import suppress

from swift_lb.clock import monotonic, sleep
from swift_lb.errors import ConfigError, LabError
from swift_lb.lab import place, process
from swift_lb.lab.state import read as read_lab
from swift_lb.lab.wan import link as links
from swift_lb.lab.wan import namespaces, state

TERM_SECONDS = 2.0
START_SECONDS = 20.0    # that the relay may take until it answers
ANSWER_SECONDS = 5.0
POLL = 0.02
UP, DOWN = 'up', 'down'


def up(sites):
    """Make the namespaces of the Sites and start their relay; LabError if a network is up."""
    namespaces.check()
    with place.locked():
        if state.read():
            raise LabError('a wide-area network is up already; `swift-lb lab wan down` ends it')
        namespaces.check_unused(sites.names)
        shutil.rmtree(state.directory(), ignore_errors=True)
        (state.directory() / 'log').mkdir(parents=True)
        state.write(sites)
    try:
        namespaces.make(sites)
        command = [sys.executable, '-m', 'swift_lb.lab.wan.relay',
                   str(state.directory() / state.SOCKET), json.dumps(state.document_of(sites))]
        state.write(sites, process.spawn(state.directory(), 'relay', 'relay', command))
        _wait()
    except BaseException:
        with suppress(LabError):
            down()
        raise


def _wait():
    """Return when the relay answers; LabError with its output if it ends, or after 20 s."""
    _sites, relay = state.read()
    until = monotonic() + START_SECONDS
    while True:
        try:
            return ask_relay()
        except OSError:
            process.reap(relay.pid)
            if not relay.alive or monotonic() > until:
                text = process.output(state.directory(), 'relay').read_text(errors='replace')
                raise LabError(f'the relay of the wide-area network does not run: {text}') from None
            sleep(POLL)


def running_sites():
    """Return the Sites of the network that is up; raises LabError if none is, or without root."""
    namespaces.check()
    known = state.read()
    if known is None:
        raise LabError('no wide-area network is up; `swift-lb lab wan up FILE` starts one')
    return known[0]


def networks():
    """Return [(site, the first three octets of its addresses)] of all sites."""
    sites = running_sites()
    return [(site, namespaces.network(sites.number(site))) for site in sites.names]


def networks_of(names, count):
    """Return {site: the first three octets of its addresses} of the sites of a lab.

    `names` are these sites; if it is empty, they are all sites that are up, which must be `count`.
    Raises LabError if a name is unknown, or the number of sites is wrong.
    """
    known = dict(networks())
    for site in names:
        if site not in known:
            raise LabError(f'there is no site {site!r}; the sites are {", ".join(known)}')
    if not names and len(known) != count:
        raise LabError(f'{count} regions need {count} sites: choose with --site A,B from the sites '
                       + ', '.join(known))
    return {site: known[site] for site in names or known}


def ask_relay(changes=None):
    """Return {"SITE SITE": {options, counts}} of all links from the relay, after `changes`.

    `changes` are {"SITE SITE": {option: value}}. Raises OSError if the relay does not answer.
    """
    with socket.socket(socket.AF_UNIX) as request:
        request.settimeout(ANSWER_SECONDS)
        request.connect(str(state.directory() / state.SOCKET))
        with request.makefile('rw') as file:
            file.write(json.dumps(changes or {}) + '\n')
            file.flush()
            line = file.readline()
    if not line:
        raise OSError('it has ended')
    return json.loads(line)


def change(words):
    """Change links by the `words` of `lab wan set`; return what link_document() returns.

    A word is OPTION=VALUE, `up`, `down` or link=SITE,SITE; without a link all links change. Raises
    ConfigError that lists all wrong words; then nothing is changed.
    """
    sites, faults, options, pairs = running_sites(), [], {}, []
    for word in words:
        name, equals, value = word.partition('=')
        if name == 'link' and equals:
            pair = tuple(value.replace(',', ' ').split())
            pairs += [one for one in (pair, pair[::-1]) if one in sites.links]
            if pair not in sites.links and pair[::-1] not in sites.links:
                faults.append(f'{word}: the links are '
                              + ', '.join(','.join(pair) for pair in sites.links))
        elif word in (UP, DOWN):
            options['down'] = 'yes' if word == DOWN else 'no'
        elif equals:
            options[name] = value
        else:
            faults.append(f'{word}: must be up, down, link=SITE,SITE or OPTION=VALUE of '
                          + ', '.join(links.OPTIONS))
    values = links.parse(options, 'lab wan set', faults)
    if faults:
        raise ConfigError(faults)
    return link_document({' '.join(pair): values for pair in pairs or sites.links})


def link_document(changes=None):
    """Return what ask_relay() returns; raises LabError if no network is up, or none answers."""
    running_sites()
    try:
        return ask_relay(changes)
    except OSError as err:
        raise LabError(f'the relay does not answer ({err}); `swift-lb lab wan down` and `up` '
                       'start it again') from None


def down():
    """End the relay and remove the namespaces; return the names of the sites, () if none was up.

    Raises LabError if a lab still runs in a site.
    """
    namespaces.check()
    known = state.read()
    if known is None:
        return ()
    sites, relay = known
    if labs := _labs_in_sites():
        raise LabError(f'the labs {", ".join(labs)} run in its sites; end them first: '
                       f'swift-lb lab down --name {labs[0]}')
    if relay:
        process.stop([relay], TERM_SECONDS, lambda: {relay.pid} if relay.alive else set())
    namespaces.remove(sites.names)
    shutil.rmtree(state.directory(), ignore_errors=True)
    return sites.names


def _labs_in_sites():
    names = []
    for name in place.names():
        with suppress(LabError, FileNotFoundError):     # damaged, or it has just ended
            names += [name] if read_lab(place.root() / name).spec.site else []
    return names
