"""The headers of a client's request: the client's names, with the values that filters have left."""
import re

from swift_lb.wire.http_head import NAME

OURS = ('HTTP_X_LB_HOP', 'HTTP_EXPECT', 'HTTP_HOST')
# gatekeeper keeps these under another name and takes them from no client; the peer's does so again.
KEPT = {'HTTP_X_BACKEND_INBOUND_X_TIMESTAMP': 'X-Timestamp',
        'HTTP_X_BACKEND_ALLOW_RESERVED_NAMES': 'X-Allow-Reserved-Names'}
FRAMES, NO_LETTER = ('contentlength', 'transferencoding'), re.compile('[^a-z]')


def host_of(env):
    """Return the value of the Host header; without one SERVER_NAME:SERVER_PORT, as Swift does."""
    return env.get('HTTP_HOST') or f'{env.get("SERVER_NAME", "")}:{env.get("SERVER_PORT", "")}'


def client_headers(env):
    """Return (name, value) pairs of a request, to be sent to a peer: filters may have changed some.

    The values are from the WSGI environment, the names as the client wrote them. Host, Expect and
    X-Lb-Hop are left out.
    """
    spelled, pairs = spelling(env), []
    for key, value in env.items():
        if key.startswith('HTTP_') and key not in OURS:
            pairs += as_spelled(spelled.pop(key, ()), value) or [
                (KEPT.get(key) or header_name(key[5:]), value)]
    # Today's eventlet puts no name with '_' into the environment, but s3api finds and signs it.
    pairs += [pair for same in spelled.values() for pair in same if '_' in pair[0]]
    if env.get('CONTENT_TYPE'):
        pairs.append(('Content-Type', env['CONTENT_TYPE']))
    return pairs


def spelling(env):
    """Return {WSGI key, such as HTTP_X_A: [(name as the client wrote it, value), ...]}."""
    spelled = {}
    for name, value in env.get('headers_raw') or ():
        key = name.replace('-', '_').encode('latin-1').upper().decode('latin-1')
        spelled.setdefault(f'HTTP_{key}', []).append((name, value))
    return spelled


def as_spelled(same, value):
    """Return a header's (name, value) pairs as the client wrote them, [] if a filter changed it.

    `same` are the client's pairs whose names have one WSGI key. `value` is what the environment has
    for that key now: their values joined by commas, if no filter has changed it.
    """
    for pairs in [pair for pair in same if '_' not in pair[0]], list(same):
        if pairs and ','.join(text for _name, text in pairs) == value:
            return pairs + [pair for pair in same if pair not in pairs]
    return []


def framing_headers(env):
    """Yield the client's (name, value) pairs that are checked for where the request ends.

    These are the pairs with a valid name, and those that a lenient parser could take for
    Content-Length or Transfer-Encoding. Other invalid names are sent to no peer.
    """
    for name, value in env.get('headers_raw') or _framing_of(env):
        if NAME.fullmatch(name) or NO_LETTER.sub('', name.lower()) in FRAMES:
            yield name, value


def _framing_of(env):
    """Return the pairs Content-Length and Transfer-Encoding, for a server without `headers_raw`."""
    names = {'CONTENT_LENGTH': 'Content-Length', 'HTTP_TRANSFER_ENCODING': 'Transfer-Encoding'}
    return [(names[name], env[name]) for name in names if env.get(name)]


def header_name(key):
    """Return the name of a header for `key`, its WSGI key without HTTP_: X-Ab for X_AB.

    Only ASCII letters change their case: bytes from 0x80 on, letters in latin-1, stay.
    """
    return key.replace('_', '-').encode('latin-1').title().decode('latin-1')
