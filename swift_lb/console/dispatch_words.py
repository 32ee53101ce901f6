"""Sentences on what a dispatcher would do with a request. Pure."""
from typing import NamedTuple

from swift_lb.console import units
from swift_lb.console.dispatch_page import Peer

PEERS = 2           # asked for one request, before it is served where it came to
HERE = 'this proxy: '   # the beginning of a policy's reason for this proxy
NOT_ASKED = {       # state: why nothing is delegated to the proxy
    'gone': 'it does not report any more', 'late': 'its report is overdue',
    'draining': 'its operator drains it',
    'disabled': 'its proxy does not answer, or its healthcheck says so',
}


class ProxyRow(NamedTuple):
    """One proxy in a table of proxies; `place` is its number in the order of asking, '' if none."""

    place: str
    peer: Peer
    expected: float | None
    why: str


def rows(page):
    """Return the ProxyRows of a DispatchPage: proxies in the order of asking, then the rest."""
    peers = {peer.name: peer for peer in page.peers}
    ordered = [ProxyRow(str(place), peers[one.name], one.expected, _why(peers[one.name], one.why))
               for place, one in enumerate(page.order, 1) if one.name in peers]
    asked = {row.peer.name for row in ordered}
    return ordered + [ProxyRow('', peer, peer.expected, _not_asked(peer, page))
                      for peer in page.peers if peer.name not in asked]


def _why(peer, why):
    return f'not asked for {units.duration(peer.ejected_for)}, as it has failed; {why}' if (
        peer.ejected_for) else why


def _not_asked(peer, page):
    if peer.name == page.here:
        return 'this proxy'
    if peer.ejected_for:
        return f'not asked for {units.duration(peer.ejected_for)}, as it has failed'
    return f'not asked: {NOT_ASKED.get(peer.state, f"it is {peer.state}")}'


def heading(url, method, path, page):
    """Yield the lines above the table: the request, and the proxy that was asked about it."""
    yield f'{method} {path}: content class {page.content}, policy {page.policy}'
    by = ('without an instruction' if page.generation is None
          else f'by instruction {page.generation}')
    proxy = url if page.here is None else f'{page.here} ({url})'
    yield f'as a worker of {proxy} knows the proxies, {by}'


def sentence(page):
    """Return a sentence on which proxy would serve the request of a DispatchPage, and why."""
    if page.served_by is None:
        return f'served here: {page.why or "there is no other proxy"}'
    why = next((one.why for one in page.order if one.name == page.served_by), '')
    if page.served_by == page.here:
        return f'served here: {why.removeprefix(HERE)}'
    return f'delegated to {page.served_by}: {why}; if it does not answer, {_then(page)}'


def _then(page):
    names = [one.name for one in page.order]
    ahead = names[:names.index(page.here)] if page.here in names else names
    return ''.join(f'to {name}, then ' for name in ahead[1:PEERS]) + 'served here'
