"""What a dispatcher would do with a request, in plain words. Pure."""
from typing import NamedTuple

from swift_lb.console import units
from swift_lb.console.dispatch_page import Peer

PEERS = 2           # are asked of one request, before it is served where it came to
HERE = 'this proxy: '   # with what policies begin their reasons for it
NOT_ASKED = {       # state: why nothing is handed to the proxy
    'gone': 'it is not heard any more', 'late': 'its report is overdue',
    'draining': 'its operator drains it', 'disabled': 'its operator has switched it off',
}


class Row(NamedTuple):
    """One proxy in the table: its place, '' for who would not be asked."""

    place: str
    peer: Peer
    expected: float | None
    why: str


def rows(page):
    """Return the Rows of a DispatchPage: those that would be asked in turn, then the others."""
    peers = {peer.name: peer for peer in page.peers}
    ordered = [Row(str(place), peers[one.name], one.expected, _why(peers[one.name], one.why))
               for place, one in enumerate(page.order, 1) if one.name in peers]
    there = {row.peer.name for row in ordered}
    return ordered + [Row('', peer, peer.expected, not_asked(peer, page))
                      for peer in page.peers if peer.name not in there]


def _why(peer, why):
    return f'left alone for {units.duration(peer.ejected_for)}, as it has failed; {why}' if (
        peer.ejected_for) else why


def not_asked(peer, page):
    """Say why a Peer has no place in the order."""
    if peer.name == page.here:
        return 'this proxy'
    if peer.ejected_for:
        return f'left alone for {units.duration(peer.ejected_for)}, as it has failed'
    return f'not asked: {NOT_ASKED.get(peer.state, f"it is {peer.state}")}'


def heading(url, method, path, page):
    """Yield lines on what is asked, and of whom."""
    yield f'{method} {path}: content class {page.content}, policy {page.policy}'
    by = ('without an instruction' if page.generation is None
          else f'by instruction {page.generation}')
    who = url if page.here is None else f'{page.here} ({url})'
    yield f'as a worker of {who} knows the proxies, {by}'


def sentence(page):
    """Say who would serve the request, and why."""
    if page.served_by is None:
        return f'served here: {page.why or "there is nobody else"}'
    why = next((one.why for one in page.order if one.name == page.served_by), '')
    if page.served_by == page.here:
        return f'served here: {why.removeprefix(HERE)}'
    return f'handed to {page.served_by}: {why}; if it does not answer, {_then(page)}'


def _then(page):
    names = [one.name for one in page.order]
    ahead = names[:names.index(page.here)] if page.here in names else names
    return ''.join(f'to {name}, then ' for name in ahead[1:PEERS]) + 'served here'


def where(peer, page):
    """Name a Peer: its node, and whether it is the one that was asked."""
    return f'{peer.name} (here)' if peer.name == page.here else peer.name
