"""Messages between proxies and `swift-lb-image` on a unix socket: a dict as JSON, and a body. Pure.

    4 bytes     length of the JSON, big endian
    4 bytes     length of the body
    JSON        an object, in ASCII
    body

The answers on one connection come in the order of the questions. A question has "do": quote, run,
keep, get, where, digest or status. The answer to one that failed has "error", a sentence, and
"status", an HTTP status line. The daemon and its worker processes exchange the same messages.
"""
import json
import struct
from typing import NamedTuple

from swift_lb.chains.cache.keys import COEFFICIENTS, LENGTH, PIXELS
from swift_lb.chains.chain import MOST_REDUCE, Region, Task
from swift_lb.errors import BAD_REQUEST, ChainError, WireError

HEAD = struct.Struct('>II')
MOST_JSON = 1 << 16     # bytes
MOST_BODY = 1 << 28         # of a cut, or of a result
UNAVAILABLE = '503 Service Unavailable'
MOST_SECONDS = 1e6
MOST_KEYS = 500         # of a quote


class ImageJob(NamedTuple):
    """A step of a chain, which is computed from a cut: the body of the message "do": "run"."""

    chain: str              # its name
    step: str               # PIXELS or COEFFICIENTS, the steps that decode
    task: Task
    form: str               # of pixels: png or raw
    overview: int | None    # halvings of the overview that the client has, for COEFFICIENTS
    key: str | None         # of the result in the cache; None: it is not kept
    spent: float            # seconds that reading and cutting took


def pack(message, body=b''):
    """Return the bytes of a message, a dict, and its body; raises WireError if it is too long."""
    return pack_begin(message, len(body)) + body


def pack_begin(message, size):
    """Return the bytes of a message that come before its body, of `size` bytes; see pack()."""
    text = json.dumps(message, separators=(',', ':')).encode()
    if len(text) > MOST_JSON or size > MOST_BODY:
        raise WireError(f'a message of {len(text)} and {size} bytes is too long')
    return HEAD.pack(len(text), size) + text


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


def job_of(question):
    """Return the ImageJob of a question, a dict; raises ChainError if it is not valid."""
    chain, step, form = (question.get(name) or '' for name in ('chain', 'step', 'form'))
    if step not in (PIXELS, COEFFICIENTS) or not all(isinstance(one, str) for one in (chain, form)):
        raise ChainError('chain, step and form must be names', BAD_REQUEST)
    task = _task_of(question.get('task'))
    overview = question.get('overview')
    if step == COEFFICIENTS and not (_is_count(overview) and task.reduce < overview <= MOST_REDUCE):
        raise ChainError('overview must be a number of halvings, more than reduce', BAD_REQUEST)
    key, spent = question.get('key'), question.get('spent', 0.0)
    if key is not None and not is_key(key):
        raise ChainError('key must be a SHA-256 in hexadecimal', BAD_REQUEST)
    if type(spent) not in (int, float) or not 0 <= spent <= MOST_SECONDS:
        raise ChainError('spent must be a number of seconds', BAD_REQUEST)
    return ImageJob(chain, step, task, form, overview, key, float(spent))


def _task_of(numbers):
    """Return the Task of [x, y, width, height, reduce], of which the first four may be None."""
    if not (isinstance(numbers, list) and len(numbers) == 5 and _is_count(numbers[4])
            and numbers[4] <= MOST_REDUCE
            and (numbers[:4] == [None] * 4 or all(map(_is_count, numbers[:4])))):
        raise ChainError('task must be [x, y, width, height, reduce]', BAD_REQUEST)
    return Task(None if numbers[0] is None else Region(*numbers[:4]), numbers[4])


def is_key(text):
    """Return whether `text` is the key of a result: a SHA-256 in small hexadecimal digits."""
    return isinstance(text, str) and len(text) == LENGTH and set(text) <= set('0123456789abcdef')


def failure(err):
    """Return the answer, a dict, that tells a ChainError."""
    return {'error': str(err), 'status': err.status}


def _is_count(value):
    return type(value) is int and 0 <= value < 1 << 32
