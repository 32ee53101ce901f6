"""Requests of peers: known by a signed marker, the header X-Lb-Hop, and always served here.

An invalid marker comes from a client, and is removed; or from a peer with another key or a wrong
clock: then the request is refused before anything is done for it, so that the peer serves it. The
sender's address tells clients from peers; a client on a peer's host that forges a marker is
refused, which harms only that client.
"""
from swift_lb.proxy.dispatch.facts import target_of
from swift_lb.replica_options import target_text
from swift_lb.wire import hop
from swift_lb.wire.hop import Nonces

KEY = 'HTTP_X_LB_HOP'
REFUSED = 'X-Lb-Refused'
UNDECODED = 'undecoded'     # its value for a part of an image, if no decoder answers here
LACKS = 'swift_lb.lacks_decoder'    # in the environment: what to call if no decoder answers here
DELEGATED = 'swift_lb.hop'      # in the environment: the Hop, for filters to the right


class RefusedError(Exception):
    """A peer's request is refused; the message is `key`, `address`, `stale` or `replayed`."""


class Incoming:
    """Verifies the markers, X-Lb-Hop, of requests that peers have delegated to this worker."""

    def __init__(self, wall, key=KEY, purpose=hop.FOR):
        """`wall()` returns seconds since 1970, with which the times in markers are compared.

        `key` is the WSGI key of the header that has the marker, `purpose` that of its signature.
        """
        self._wall, self._key, self._purpose, self._nonces = wall, key, purpose, Nonces()

    def accept(self, env, keys, addresses, relays=()):
        """Return the Hop of a peer's request, None for a client's; remove the marker from `env`.

        `keys` are the keys that may have signed the marker, `addresses` the ips of the peers;
        `relays` are HOST:PORTs besides this proxy's own that a marker may be for.
        Raises RefusedError for a peer's request with an invalid marker.
        """
        text = env.pop(self._key, None)
        if text is None:
            return None
        marker = hop.decode(keys, text, env['REQUEST_METHOD'], target_of(env), self._purpose)
        fault = 'key' if marker is None else self._fault(marker, env, relays)
        if fault is None:
            adopt(env, marker)
            return marker
        if marker is not None or env.get('REMOTE_ADDR') in addresses:
            raise RefusedError(fault)
        return None

    def _fault(self, marker, env, relays):
        here = target_text((env.get('SERVER_NAME', ''), env.get('SERVER_PORT')))
        if marker.to != here and marker.to not in relays:
            return 'address'
        return self._nonces.fault(marker, self._wall())


def adopt(env, marker):
    """Change `env` of a delegated request as if its client had connected to this proxy itself.

    `marker` is the Hop: it has the client's address, scheme, transaction id and Expect.
    """
    env['REMOTE_ADDR'], env['REMOTE_PORT'] = marker.client, marker.port
    env['wsgi.url_scheme'] = marker.scheme
    env['swift.trans_id'] = marker.trans_id
    env[DELEGATED] = marker
    if not marker.expects:
        env.pop('HTTP_EXPECT', None)    # the peer's own; the server has it from the head
