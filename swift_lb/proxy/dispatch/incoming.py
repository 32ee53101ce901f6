"""What comes from a peer: known by its signed marker, and served here whoever is loaded.

A marker that is not right comes from a client, and is taken out as if it had not been there, or
from a peer with another key or a clock that is off: that request is refused before anything is done
for it, so that the peer serves it itself. By its address we know the one from the other; a client
on a peer's host who forges one is refused, which harms nobody but him.
"""
from swift_lb.proxy.dispatch.request import target_of
from swift_lb.replica_options import target_text
from swift_lb.wire import hop
from swift_lb.wire.hop import Nonces

KEY = 'HTTP_X_LB_HOP'
REFUSED = 'X-Lb-Refused'
DELEGATED = 'swift_lb.hop'      # in the environment: the Hop, for filters to the right


class RefusedError(Exception):
    """A peer's request can not be taken; the message is one word on why."""


class Incoming:
    """Knows peers' requests, in one worker."""

    def __init__(self, wall):
        """`wall` returns seconds since 1970, as peers have them."""
        self._wall, self._nonces = wall, Nonces()

    def accept(self, env, keys, addresses):
        """Return the Hop of a peer's request, None for a client's, and take the marker out.

        `addresses` are the ips of the peers. Raises RefusedError.
        """
        text = env.pop(KEY, None)
        if text is None:
            return None
        found = hop.decode(keys, text, env['REQUEST_METHOD'], target_of(env))
        fault = 'key' if found is None else self._fault(found, env)
        if fault is None:
            adopt(env, found)
            return found
        if found is not None or env.get('REMOTE_ADDR') in addresses:
            raise RefusedError(fault)
        return None

    def _fault(self, found, env):
        here = target_text((env.get('SERVER_NAME', ''), env.get('SERVER_PORT')))
        if found.to != here:
            return 'address'
        return self._nonces.fault(found, self._wall())


def adopt(env, found):
    """Let the environment say what it would, had the client come to this proxy."""
    env['REMOTE_ADDR'], env['REMOTE_PORT'] = found.client, found.port
    env['wsgi.url_scheme'] = found.scheme
    env['swift.trans_id'] = found.trans_id
    env[DELEGATED] = found
    if not found.expects:
        env.pop('HTTP_EXPECT', None)    # the peer's own; the server has it from the head
