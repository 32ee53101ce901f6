"""The header of a client's request: as filters have left it, spelled as the client wrote it."""
import re

from swift_lb.wire.http_head import NAME

OURS = ('HTTP_X_LB_HOP', 'HTTP_EXPECT', 'HTTP_HOST')
# gatekeeper keeps these under another name and takes them from no client; the peer's does so again.
KEPT = {'HTTP_X_BACKEND_INBOUND_X_TIMESTAMP': 'X-Timestamp',
        'HTTP_X_BACKEND_ALLOW_RESERVED_NAMES': 'X-Allow-Reserved-Names'}
FRAMES, NO_LETTER = ('contentlength', 'transferencoding'), re.compile('[^a-z]')


def host_of(env):
    """Return the Host header, or what Swift uses instead of it where there is none."""
    return env.get('HTTP_HOST') or f'{env.get("SERVER_NAME", "")}:{env.get("SERVER_PORT", "")}'


def client_headers(env):
    """Return the (name, value) pairs of the client's header, as the environment has them now."""
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
    """Return {WSGI key: [(name, value)]} of a request, with names as the client wrote them."""
    spelled = {}
    for name, value in env.get('headers_raw') or ():
        key = name.replace('-', '_').encode('latin-1').upper().decode('latin-1')
        spelled.setdefault(f'HTTP_{key}', []).append((name, value))
    return spelled


def as_spelled(same, value):
    """Return the headers of a client as it spelled them, where they still make up `value`.

    `same` are its (name, value) pairs whose names have the same WSGI key, `value` is what the
    environment has for that key. Returns [] if a filter has changed the value.
    """
    for pairs in [pair for pair in same if '_' not in pair[0]], list(same):
        if pairs and ','.join(text for _name, text in pairs) == value:
            return pairs + [pair for pair in same if pair not in pairs]
    return []


def framing_headers(env):
    """Yield the client's (name, value) pairs from which two parsers could read two requests.

    A pair whose name is not a valid one, and is none of those, is not passed on; Swift's proxy here
    judges it.
    """
    for name, value in env.get('headers_raw') or _framing_of(env):
        if NAME.fullmatch(name) or NO_LETTER.sub('', name.lower()) in FRAMES:
            yield name, value


def _framing_of(env):
    """Return the pairs that tell where the body ends, for a server that keeps no raw ones."""
    names = {'CONTENT_LENGTH': 'Content-Length', 'HTTP_TRANSFER_ENCODING': 'Transfer-Encoding'}
    return [(names[name], env[name]) for name in names if env.get(name)]


def header_name(key):
    """Return the name of a header by its WSGI key without HTTP_: X_A is X-A.

    A byte from 0x80 on is not a letter, as in latin-1.
    """
    return key.replace('_', '-').encode('latin-1').title().decode('latin-1')
