"""The header of a client's request: as filters have left it, and spelled as the client has."""
import re

from swift_lb.wire.http_head import NAME

OURS = ('HTTP_X_LB_HOP', 'HTTP_EXPECT', 'HTTP_HOST')
# What gatekeeper keeps under another name and takes from no client; the peer's does so again.
KEPT = {'HTTP_X_BACKEND_INBOUND_X_TIMESTAMP': 'X-Timestamp',
        'HTTP_X_BACKEND_ALLOW_RESERVED_NAMES': 'X-Allow-Reserved-Names'}
# From one byte to another, or so many last ones, or from one on.
ONE = '(?:[0-9]{0,18}-[0-9]{1,18}|[0-9]{1,18}-)'
RANGE = re.compile(f'bytes=({ONE}(?:,{ONE})*)')
FRAMES, NO_LETTER = ('contentlength', 'transferencoding'), re.compile('[^a-z]')


def host_of(env):
    """Return what Host says, or what Swift takes for it where there is none."""
    return env.get('HTTP_HOST') or f'{env.get("SERVER_NAME", "")}:{env.get("SERVER_PORT", "")}'


def body_size(env):
    """Return the bytes of the body, 0 of none, None where that is not known."""
    length = env.get('CONTENT_LENGTH') or '0'
    return int(length) if length.isdecimal() and 'HTTP_TRANSFER_ENCODING' not in env else None


def range_size(text):
    """Return the bytes that a Range asks for, all together; None if it does not say, or is none."""
    found = text and RANGE.fullmatch(text)
    if not found:
        return None
    sizes = [int(last) if not first else int(last) - int(first) + 1 if last else None
             for first, last in (part.split('-') for part in found[1].split(','))]
    return None if None in sizes else sum(sizes)


def given(env):
    """Return the (name, value) pairs of the client's header, as the environment has them now."""
    spelled, found = spelling(env), []
    for key, value in env.items():
        if key.startswith('HTTP_') and key not in OURS:
            found += as_spelled(spelled.pop(key, ()), value) or [
                (KEPT.get(key) or named(key[5:]), value)]
    # A name with '_' is in no environment of today's eventlet, but s3api finds it, and signs it.
    found += [one for same in spelled.values() for one in same if '_' in one[0]]
    if env.get('CONTENT_TYPE'):
        found.append(('Content-Type', env['CONTENT_TYPE']))
    return found


def spelling(env):
    """Return {key in the environment: [(name, value)] as the client wrote them}."""
    found = {}
    for name, value in env.get('headers_raw') or ():
        key = name.replace('-', '_').encode('latin-1').upper().decode('latin-1')
        found.setdefault(f'HTTP_{key}', []).append((name, value))
    return found


def as_spelled(same, value):
    """Return those of the client's headers of `same` key that the environment's `value` is of.

    None of them, if it has been changed since.
    """
    for ones in [one for one in same if '_' not in one[0]], list(same):
        if ones and ','.join(text for _name, text in ones) == value:
            return ones + [one for one in same if one not in ones]
    return []


def in_question(env):
    """Yield those of a client's headers that can make its request one of two readings.

    What has another name that is no name goes to no peer, and Swift's proxy here may judge it.
    """
    for name, value in env.get('headers_raw') or raw_of(env):
        if NAME.fullmatch(name) or NO_LETTER.sub('', name.lower()) in FRAMES:
            yield name, value


def named(key):
    """Return the name of a header; a byte from 0x80 on is no letter, though latin-1 has it so."""
    return key.replace('_', '-').encode('latin-1').title().decode('latin-1')


def raw_of(env):
    """Return the pairs that say where the body ends, for a server that does not keep the raw ones.
    """
    names = {'CONTENT_LENGTH': 'Content-Length', 'HTTP_TRANSFER_ENCODING': 'Transfer-Encoding'}
    return [(names[name], env[name]) for name in names if env.get(name)]
