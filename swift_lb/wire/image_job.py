"""Messages between proxies and `swift-lb-image` on a unix socket: a dict as JSON, and a body. Pure.

    4 bytes     length of the JSON, big endian
    4 bytes     length of the body
    JSON        an object, in ASCII
    body

The answers on one connection come in the order of the questions.
"""
import json
import struct

from swift_lb.errors import WireError

HEAD = struct.Struct('>II')
MOST_JSON = 1 << 16     # bytes
MOST_BODY = 1 << 28


def pack(message, body=b''):
    """Return the bytes of a message, a dict, and its body; raises WireError if it is too long."""
    text = json.dumps(message, separators=(',', ':')).encode()
    if len(text) > MOST_JSON or len(body) > MOST_BODY:
        raise WireError(f'a message of {len(text)} and {len(body)} bytes is too long')
    return b''.join((HEAD.pack(len(text), len(body)), text, body))


def lengths(head):
    """Return (bytes of the JSON, bytes of the body) of a message's first HEAD.size bytes.

    Raises WireError if one is larger than pack() makes it.
    """
    text, body = HEAD.unpack(head)
    if text > MOST_JSON or body > MOST_BODY:
        raise WireError(f'a message of {text} and {body} bytes is too long')
    return text, body


def message_of(text):
    """Return the dict of a message's JSON, bytes; raises WireError for anything else."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if type(message) is not dict:
        raise WireError('a message is no JSON object')
    return message
