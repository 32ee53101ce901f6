"""The keys of DNS cookies (RFC 7873) and of updates (RFC 8945): none is ever displayed."""
import base64
import hmac
import re

from swift_lb.config import MIN_KEY, InvalidError

COOKIE_KEY = 16         # bytes of a key of SipHash-2-4 (RFC 9018 4.4)


def cookie_key(text):
    """Parse a key of DNS cookies, 32 hexadecimal digits, into bytes; raises InvalidError."""
    if re.fullmatch(f'[0-9A-Fa-f]{{{2 * COOKIE_KEY}}}', text) is None:
        raise InvalidError(f'must be {2 * COOKIE_KEY} hexadecimal digits')
    return bytes.fromhex(text)


def update_key(text):
    """Parse a key that signs DNS updates, base64, into bytes; raises InvalidError."""
    try:
        key = base64.b64decode(text, validate=True)
    except ValueError:
        key = b''
    if len(key) < MIN_KEY:
        raise InvalidError(f'must be base64 of {MIN_KEY} bytes or more, as tsig-keygen prints it')
    return key


def cookie_keys(own, agents):
    """Return the configured keys of DNS cookies, or keys derived from the agents' keys.

    `own` and `agents` are {option: value} of [lb-dns] and [lb-agent]. A resolver shows the cookie
    of one node to another, so all nodes need the same keys, as they have the same agents' keys.
    """
    given = [own[name] for name in ('cookie_key', 'cookie_key2') if own.get(name)]
    return tuple(given or [hmac.digest(agents[name].encode(), b'dns cookie', 'sha256')[:COOKIE_KEY]
                           for name in ('key', 'key2') if agents.get(name)])
