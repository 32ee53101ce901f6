"""The signed header by which a proxy knows that a peer has delegated a request to it. Pure.

    X-Lb-Hop: sender|to|sent_at|nonce|client|port|scheme|trans_id|expects|signature

The signature is HMAC-SHA256 with the nodes' key, over the constant FOR, the fields before it in the
header, and the request's method and target. So it holds for no other request, and no datagram that
agents sign with the same key is a valid header. It is hexadecimal, where each byte has one
spelling; in base64 the last of 32 bytes has four, so that a changed header could still be valid.

Fields are ASCII without '|', blanks and control characters.
"""
import re
from collections import deque
from typing import NamedTuple

from swift_lb.errors import WireError
from swift_lb.wire.freshness import MAX_SKEW
from swift_lb.wire.node_report import NAME, PROXY
from swift_lb.wire.signature import LENGTH, MAGIC, sign, verified

HEADER = 'X-Lb-Hop'
FOR = 'X-Lb-Hop 1'      # signed bytes begin with it; datagrams of agents with '['
# Between clusters, signed with their key: a peer's marker is none of a cluster.
CLUSTER_HEADER, CLUSTER_FOR = 'X-Lb-Cluster-Hop', 'X-Lb-Cluster-Hop 1'
TEXT = re.compile(r'\|'.join((
    f'({NAME.pattern})', f'({PROXY.pattern})', r'([0-9]{1,12}\.[0-9]{1,17})', '([0-9a-f]{16,32})',
    '([0-9A-Za-z.:%_-]{1,64})', '([0-9]{0,5})', '(https?)', '([!-{}~]{0,256})', '([01])',
    f'([0-9a-f]{{{2 * LENGTH}}})')))
UNSIGNED = '|' + '0' * (2 * LENGTH)
MAX_NONCES = 100_000    # of 800 requests per second; 25 MB

STALE, REPLAYED = 'stale', 'replayed'


class Hop(NamedTuple):
    """The facts about a delegated request that a proxy signs for its peer."""

    sender: str         # name of its node
    to: str             # 'IP:PORT' of the proxy that the request is for
    sent_at: float      # seconds since 1970 by the sender's clock
    nonce: str          # 16 to 32 hexadecimal digits that the sender never uses again
    client: str         # the client's address
    port: str           # and its port, '' if unknown
    scheme: str         # of the client's request: http or https
    trans_id: str       # the transaction id in the sender's log
    expects: bool       # whether the client itself has sent Expect: 100-continue


def encode(key, hop, method, target, purpose=FOR):
    """Return the text of the header X-Lb-Hop for `hop`, signed with `key`.

    `target` is the request's raw path with its query, exactly as it is sent; `purpose` names the
    use of the signature, which is valid for no other. Raises WireError for fields that decode()
    would refuse.
    """
    fields = '|'.join((hop.sender, hop.to, repr(hop.sent_at), hop.nonce, hop.client, hop.port,
                     hop.scheme, hop.trans_id, '1' if hop.expects else '0'))
    if TEXT.fullmatch(fields + UNSIGNED) is None:
        raise WireError(f'{fields!r} has a field that can not be in a header {HEADER}')
    signed = sign(key, signed_bytes(fields, method, target, purpose))
    return f'{fields}|{signed[len(MAGIC):len(MAGIC) + LENGTH].hex()}'


def decode(keys, text, method, target, purpose=FOR):
    """Return the Hop in a header's text if one of `keys` has signed it for this request, else None.

    `method`, `target` and `purpose` are those of encode(). The caller must check that `to` is its
    own address, and that its Nonces do not refuse the Hop.
    """
    match = TEXT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    sender, to, sent_at, nonce, client, port, scheme, trans_id, expects, signature = match.groups()
    payload = signed_bytes(text[:match.start(10) - 1], method, target, purpose)
    if verified(keys, MAGIC + bytes.fromhex(signature) + payload) is None:
        return None
    return Hop(sender, to, float(sent_at), nonce, client, port, scheme, trans_id, expects == '1')


def signed_bytes(fields, method, target, purpose=FOR):
    """Return the bytes that are signed: purpose, the Hop's `fields`, the method and the target."""
    return f'{purpose}\n{fields}\n{len(method)}\n{method}{target}'.encode('utf-8', 'surrogatepass')


class Nonces:
    """The nonces of Hops that one process has accepted: it refuses old Hops and repeated ones.

    Each worker of a host has its own Nonces: within MAX_SKEW, a recorded request can be replayed
    once to each other worker, and to this one if its nonce was dropped for lack of room.
    """

    def __init__(self):
        self._known = set()         # (sender, nonce)
        self._order = deque()       # (instant, that), the oldest first

    def __len__(self):
        return len(self._known)

    def fault(self, hop, now):
        """Return why `hop` is refused, STALE or REPLAYED; remember an accepted one and return None.

        `now` is this host's clock in seconds since 1970. A hop whose sender's clock is MAX_SKEW
        ahead stays valid for 2 * MAX_SKEW.
        """
        if not abs(hop.sent_at - now) <= MAX_SKEW:
            return STALE
        while self._order and now - self._order[0][0] > 2 * MAX_SKEW:
            self._forget()
        known = hop.sender, hop.nonce
        if known in self._known:
            return REPLAYED
        if len(self._known) >= MAX_NONCES:
            self._forget()
        self._known.add(known)
        self._order.append((now, known))
        return None

    def _forget(self):
        self._known.discard(self._order.popleft()[1])
