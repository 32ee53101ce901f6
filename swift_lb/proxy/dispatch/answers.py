"""WSGI answers that a dispatcher gives itself, or has from a proxy that it has asked."""
import os
from contextlib import suppress

from swift_lb.errors import PeerError
from swift_lb.proxy.dispatch.facts import body_size
from swift_lb.proxy.dispatch.incoming import REFUSED
from swift_lb.wire.observations import MOST_BYTES, PROBE_BYTES

PROBE_BODY = os.urandom(PROBE_BYTES)    # random, so that no link compresses it
DIGITS = 10         # of a number of bytes: fewer
SHORT = 4096        # bytes of a body that is read and dropped, if it has come
UNAVAILABLE = '503 Service Unavailable'
SOURCE = 'LB'       # in proxy-logging's lines of requests that another proxy has served


def pass_on(reply, env, start_response, closes=False):
    """Start the Answer that another proxy has given, and return its body.

    With `closes` the client's connection is closed then, since a body is left on it.
    """
    mark(env)
    headers, head = reply.headers(), reply.head
    if closes:
        headers.append(('Connection', 'close'))
    start_response(f'{head.status} {head.reason}', headers)
    return reply


def mark(env):
    """Say in the environment of a request that another proxy serves it."""
    env['swift.source'] = SOURCE
    env['eventlet.minimum_write_chunk_size'] = 0    # blanks of a slow answer reach the client


def discard(answer):
    """Close an Answer; if a body of at most SHORT bytes has come, its connection is kept.

    A body is not waited for: it may never come, and a client waits meanwhile.
    """
    left = answer.head.length
    if left is not None and left <= SHORT:
        with suppress(PeerError):
            while left and answer.has_news:
                left -= len(next(answer))
            if not left:
                next(answer, None)      # the end
    answer.close()


def answer(env, start_response, status, sentence, headers=()):
    """Start a WSGI answer with `status` and return its body: [`sentence` in bytes], [] to HEAD."""
    body = f'{sentence}\n'.encode()
    start_response(status, [('Content-Type', 'text/plain; charset=UTF-8'),
                            ('Content-Length', str(len(body))), *headers])
    return [] if env['REQUEST_METHOD'] == 'HEAD' else [body]


def answer_probe(env, start_response):
    """Answer a cluster that measures the link from here, or keeps its connection.

    The body has as many bytes as the query says, `bytes=N`, but MOST_BYTES at most; PROBE_BYTES if
    it says nothing.
    """
    text = env.get('QUERY_STRING', '').removeprefix('bytes=')
    size = PROBE_BYTES
    if text.isdecimal() and len(text) < DIGITS:
        size = min(MOST_BYTES, int(text))
    start_response('200 OK', [('Content-Type', 'application/octet-stream'),
                              ('Content-Length', str(size))])
    if env['REQUEST_METHOD'] == 'HEAD':
        return []
    whole, rest = divmod(size, PROBE_BYTES)
    return [PROBE_BODY] * whole + [PROBE_BODY[:rest]]


def refuse_load(env, start_response, seconds):
    """Answer 503 with Retry-After: `seconds`; the body of the request is not read."""
    headers = [('Retry-After', str(seconds))]
    if body_size(env) != 0:
        headers.append(('Connection', 'close'))
    return answer(env, start_response, UNAVAILABLE, 'All proxies have more requests than they can '
                  'serve.', headers)


def refuse_hop(env, start_response, why):
    """Answer 421 to a peer's request, so that the peer serves it; `why` is the reason, one word."""
    return answer(env, start_response, '421 Misdirected Request', f'not served here: {why}',
                  [(REFUSED, why)])
