"""How a proxy knows that a peer has handed a request to it: a signed header. Pure.

    X-Lb-Hop: sender|to|sent_at|nonce|client|port|scheme|trans_id|expects|signature

The signature is that of all nodes, HMAC-SHA256, over FOR, what is before it in the header, the
method and the target: a header says nothing of another request, nor does any datagram that agents
sign with the same key. It is written in hexadecimal, where each byte has one spelling; base64 has
four for the last of 32 bytes, so that a header could be changed and still be good.

No field has a '|', a blank or a control character in it, nor has any byte that is no ASCII.
"""
import re
from collections import deque
from typing import NamedTuple

from swift_lb.errors import WireError
from swift_lb.wire.node_report import NAME, PROXY
from swift_lb.wire.signature import LENGTH, MAGIC, sign, verified

HEADER = 'X-Lb-Hop'
FOR = 'X-Lb-Hop 1'      # what is signed begins so; a datagram of agents begins with '['
TEXT = re.compile(r'\|'.join((
    f'({NAME.pattern})', f'({PROXY.pattern})', r'([0-9]{1,12}\.[0-9]{1,17})', '([0-9a-f]{16,32})',
    '([0-9A-Za-z.:%_-]{1,64})', '([0-9]{0,5})', '(https?)', '([!-{}~]{0,256})', '([01])',
    f'([0-9a-f]{{{2 * LENGTH}}})')))
UNSIGNED = '|' + '0' * (2 * LENGTH)
WINDOW = 60.0           # seconds by which two clocks may differ, a request's way included
MOST = 100_000          # nonces: of 800 requests per second, 25 MB

STALE, REPLAYED = 'stale', 'replayed'


class Hop(NamedTuple):
    """What a proxy says of a request that it hands to another."""

    sender: str         # name of its node
    to: str             # 'IP:PORT' of the proxy that the request is for
    sent_at: float      # seconds since 1970 by the sender's clock
    nonce: str          # 16 to 32 hexadecimal digits that the sender never uses again
    client: str         # the client's address
    port: str           # and its port, '' if unknown
    scheme: str         # by which the client came: http or https
    trans_id: str       # which the sender's log has
    expects: bool       # whether the client itself has sent Expect: 100-continue


def encode(key, hop, method, target):
    """Return the header's text; `target` is the raw path with its query, exactly as it is sent.

    Raises WireError where decode() would not take it.
    """
    said = '|'.join((hop.sender, hop.to, repr(hop.sent_at), hop.nonce, hop.client, hop.port,
                     hop.scheme, hop.trans_id, '1' if hop.expects else '0'))
    if TEXT.fullmatch(said + UNSIGNED) is None:
        raise WireError(f'{said!r} has a field that can not be in a header {HEADER}')
    signed = sign(key, bound(said, method, target))
    return f'{said}|{signed[len(MAGIC):len(MAGIC) + LENGTH].hex()}'


def decode(keys, text, method, target):
    """Return the Hop of a header's text, None where one of `keys` has not signed just this.

    The caller sees to whom it is, and asks its Nonces.
    """
    found = TEXT.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    sender, to, sent_at, nonce, client, port, scheme, trans_id, expects, signature = found.groups()
    said = bound(text[:found.start(10) - 1], method, target)
    if verified(keys, MAGIC + bytes.fromhex(signature) + said) is None:
        return None
    return Hop(sender, to, float(sent_at), nonce, client, port, scheme, trans_id, expects == '1')


def bound(said, method, target):
    """Return what is signed: of other fields, or of another request, always other bytes."""
    return f'{FOR}\n{said}\n{len(method)}\n{method}{target}'.encode('utf-8', 'surrogatepass')


class Nonces:
    """What has been handed to this process: nothing old is taken, and nothing twice.

    Each worker of a host has its own: what is recorded can be sent again to each of the others
    once, within WINDOW. What was forgotten for want of room can be as well.
    """

    def __init__(self):
        self._known = set()         # (sender, nonce)
        self._order = deque()       # (instant, that), the oldest first

    def __len__(self):
        return len(self._known)

    def fault(self, hop, now):
        """Return None and remember `hop`, or why it is not to be taken: STALE or REPLAYED.

        `now` is this host's clock in seconds since 1970. A hop of who is WINDOW ahead is good for
        2 * WINDOW after it came.
        """
        if not abs(hop.sent_at - now) <= WINDOW:
            return STALE
        while self._order and now - self._order[0][0] > 2 * WINDOW:
            self._forget()
        known = hop.sender, hop.nonce
        if known in self._known:
            return REPLAYED
        if len(self._known) >= MOST:
            self._forget()
        self._known.add(known)
        self._order.append((now, known))
        return None

    def _forget(self):
        """Forget the oldest."""
        self._known.discard(self._order.popleft()[1])
