"""The facts of a client's request by which a dispatcher chooses a proxy, parsed only once."""
import re
from urllib.parse import quote, unquote

from swift_lb.chains.cache.keys import request_key
from swift_lb.chains.query import EITHER
from swift_lb.dispatch.content import content_class, is_object
from swift_lb.model import RequestFacts
from swift_lb.wire.http_head import PRINTED

FACTS = 'swift_lb.facts'        # in the environment
# Parts of a Range: from one byte to another, or the last so many, or from one on.
ONE = '(?:[0-9]{0,18}-[0-9]{1,18}|[0-9]{1,18}-)'
RANGE = re.compile(f'bytes=({ONE}(?:,{ONE})*)')


def facts_of(env):
    """Return the RequestFacts of a WSGI environment; they are parsed once and kept in it."""
    facts = env.get(FACTS)
    if facts is None:
        method, size = env['REQUEST_METHOD'], body_size(env)
        copies = 'HTTP_X_COPY_FROM' in env or 'HTTP_X_AMZ_COPY_SOURCE' in env
        facts = env[FACTS] = RequestFacts(
            method, target_of(env), env.get('REMOTE_ADDR', ''), content_class(
                method, env.get('PATH_INFO', ''), size, env.get('QUERY_STRING', ''),
                copies=copies, range_size=range_size(env.get('HTTP_RANGE'))), size)
    return facts


def facts_of_query(query, client):
    """Return the RequestFacts of the request that a query of the status page describes, or None.

    `query` is {name: text}; without a `path` in it, the result is None. Without a `size`, a PUT has
    a body of unknown size, other requests have none. `client` is the address of the request's
    client if the query has no `client`.
    """
    path, method = query.get('path'), query.get('method', 'GET').upper()
    if not path:
        return None
    size = query.get('size', '')
    size = int(size) if size.isdecimal() else None if method == 'PUT' else 0
    return RequestFacts(method, path, query.get('client', client),
                 content_class(method, path, size, path.partition('?')[2]), size)


def image_key(env):
    """Return the key of a request for a part of an image, None for any other."""
    query = env.get('QUERY_STRING')
    if not query or EITHER not in query:        # most requests
        return None
    return image_key_of(env['REQUEST_METHOD'], env.get('PATH_INFO', ''), query)


def image_key_of(method, path, query):
    """Return what image_key() does, for a request with this unquoted path."""
    return request_key(path, query) if method == 'GET' and is_object(path) else None


def target_of(env):
    """Return path and query as the client sent them; a path changed by a filter is quoted anew."""
    path, raw = env.get('PATH_INFO', '/'), env.get('RAW_PATH_INFO', '')
    if (raw != path or '%' in raw) and unquote(raw, encoding='latin-1') != path:
        raw = quote(path, safe="/~!$&'()*+,;=:@", encoding='latin-1')
    elif not raw.isascii():
        raw = quote(raw, safe=PRINTED, encoding='latin-1')
    query = env.get('QUERY_STRING')
    return f'{raw}?{query}' if query else raw


def body_size(env):
    """Return the Content-Length of a request, 0 without a body, None if the size is unknown."""
    facts = env.get(FACTS)
    if facts is not None:
        return facts.size
    length = env.get('CONTENT_LENGTH') or '0'
    return int(length) if length.isdecimal() and 'HTTP_TRANSFER_ENCODING' not in env else None


def range_size(text):
    """Return the total bytes of the ranges in a Range header; None if one is open, or invalid."""
    match = text and RANGE.fullmatch(text)
    if not match:
        return None
    sizes = [int(last) if not first else int(last) - int(first) + 1 if last else None
             for first, last in (part.split('-') for part in match[1].split(','))]
    return None if None in sizes else sum(sizes)
