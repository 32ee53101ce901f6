"""Scripts of ScriptedNodes that answer as a healthy object server with one object does."""
import hashlib
from dataclasses import replace

from support.scripted_node import NodeAnswer

TIMESTAMP = '1700000000.00000'
WRITTEN = {'PUT': 201, 'POST': 202, 'DELETE': 204}
BOUNDARY = 'bd5e8f9d'


def stored(body, timestamp=TIMESTAMP, headers=None, **how):
    """Return a script that serves the object `body`: ranges and If-None-Match are honoured.

    `headers` are added to answers to reads (GET, HEAD), and `how` are fields of these NodeAnswers.
    Writes are accepted and dropped.
    """
    etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
    common = {'X-Timestamp': timestamp, 'X-Backend-Timestamp': timestamp,
              'X-Backend-Data-Timestamp': timestamp, 'Etag': f'"{etag}"',
              'Content-Type': 'application/octet-stream', **(headers or {})}

    def script(request):
        if request.method in WRITTEN:
            return NodeAnswer(WRITTEN[request.method], {'X-Timestamp': timestamp, 'Etag': etag})
        answer = conditional(request, body, etag) or ranged(request, body, common)
        return replace(answer, headers={**common, **answer.headers},
                       bodiless=request.method == 'HEAD', **how)
    return script


def missing(timestamp=None):
    """Return the NodeAnswer 404 of a node without the object; `timestamp`: of its tombstone."""
    return NodeAnswer(404, {'X-Backend-Timestamp': timestamp} if timestamp else {})


def conditional(request, body, etag):
    """Return a NodeAnswer 304 if the request's If-None-Match contains `etag`, else None."""
    if etag in request.headers.get('if-none-match', ''):
        return NodeAnswer(304)
    return None


def ranged(request, body, headers):
    """Return the NodeAnswer 200 with `body`, 206 with its requested ranges, or 416 without any."""
    asked = request.headers.get('range')
    if asked is None or request.method == 'HEAD':
        return NodeAnswer(200, body=body)
    spans = [span for text in asked.removeprefix('bytes=').split(',')
             if (span := span_of(text, len(body)))]
    if not spans:
        return NodeAnswer(416, {'Content-Range': f'bytes */{len(body)}'})
    if len(spans) == 1:
        (first, last), = spans
        return NodeAnswer(206, {'Content-Range': f'bytes {first}-{last}/{len(body)}'},
                          body[first:last + 1])
    return NodeAnswer(206, {'Content-Type': f'multipart/byteranges;boundary={BOUNDARY}'},
                      multipart(body, spans, headers['Content-Type']))


def span_of(text, size):
    """Return (first, last) of a range, `text`, of `size` bytes; None if it begins after its end."""
    first, _dash, last = text.partition('-')
    if not first:
        return max(size - int(last), 0), size - 1
    span = int(first), min(int(last), size - 1) if last else size - 1
    return span if span[0] <= span[1] else None


def multipart(body, spans, content_type):
    """Return the bytes of a multipart/byteranges document of `spans`, (first, last) of `body`."""
    parts = [b'--%s\r\nContent-Type: %s\r\nContent-Range: bytes %d-%d/%d\r\n\r\n%s\r\n' % (
        BOUNDARY.encode(), content_type.encode(), first, last, len(body), body[first:last + 1])
        for first, last in spans]
    return b''.join(parts) + b'--%s--' % BOUNDARY.encode()


def fragments(body, policy, **how):
    """Return a list: a script for each fragment archive of `body` in the EC policy `policy`."""
    segments = [body[start:start + policy.ec_segment_size]
                for start in range(0, len(body), policy.ec_segment_size)]
    archives = zip(*map(policy.pyeclib_driver.encode, segments), strict=True)
    return [stored(b''.join(archive), headers=fragment_headers(body, policy, index), **how)
            for index, archive in enumerate(archives)]


def fragment_headers(body, policy, index):
    """Return the headers of the fragment `index` of `body` that a replicated object has not."""
    return {'X-Object-Sysmeta-Ec-Etag': hashlib.md5(body, usedforsecurity=False).hexdigest(),
            'X-Object-Sysmeta-Ec-Content-Length': str(len(body)),
            'X-Object-Sysmeta-Ec-Frag-Index': str(index),
            'X-Object-Sysmeta-Ec-Scheme': policy.ec_scheme_description,
            'X-Object-Sysmeta-Ec-Segment-Size': str(policy.ec_segment_size),
            'X-Backend-Durable-Timestamp': TIMESTAMP}


def everything(body):
    """Return the script of an account, container and object server in one, with object `body`."""
    objects = stored(body)

    def script(request):
        if request.method not in ('GET', 'HEAD') or request.path.count('/') > 4:
            return objects(request)
        return NodeAnswer(200, {'X-Backend-Timestamp': TIMESTAMP, 'X-Timestamp': TIMESTAMP,
                                'X-PUT-Timestamp': TIMESTAMP, 'X-Account-Container-Count': '1',
                                'X-Container-Object-Count': '0',
                                'X-Backend-Storage-Policy-Index': '0',
                                'Content-Type': 'application/json'},
                          b'[]', bodiless=request.method == 'HEAD')
    return script
