"""The HTTP answer with a part of an image."""
from swift_lb.proxy.image.parts import Part
from swift_lb.proxy.image.room import SentBody

POINT, VERSION = 'X-Lb-Point', 'X-Lb-Object-Etag'
REGION, REDUCE = 'X-Lb-Region', 'X-Lb-Reduce'
ETAG = 32           # hexadecimal digits of a part's
OF_OBJECT = frozenset((     # headers of the object that a part of it does not have
    'content-length', 'content-type', 'content-encoding', 'etag', 'accept-ranges', 'date',
    'connection', 'transfer-encoding', 'x-trans-id', 'x-openstack-request-id',
    # a filter that sees these takes the body for a manifest
    'x-static-large-object', 'x-object-manifest', 'x-manifest-etag'))


def etag_of(key):
    """Return the ETag of the result under a key."""
    return f'"{key[:ETAG]}"'


def unchanged(env, asked, costs):
    """Return the Part that the client of a request has already, with no body; None without it.

    It is that of the point with the least of `costs`, PointCosts of an AskedImage.
    """
    work = costs[0].work if costs else None
    key = asked.keys.get((work.point, work.form)) if work else None
    if key is None or not has(env.get('HTTP_IF_NONE_MATCH', ''), etag_of(key)):
        return None
    return Part(work.point, key, b'', True)


def part_answer(app, env, start_response, asked, part, head):
    """Answer a request with a Part of an AskedImage, and return the body.

    At D1 that is the answer of the next WSGI app, `app`, to the request without its parameters.
    `head` is the ObjectHead.
    """
    shown = [(POINT, part.point), ('Vary', 'X-Lb-Client')]
    if part.body is None:
        env['QUERY_STRING'] = asked.rest
        return app(env, lambda status, headers, *rest: start_response(
            status, [*headers, *shown], *rest))
    etag = etag_of(part.key)
    headers = [*((name, value) for name, value in head.headers if name.lower() not in OF_OBJECT),
               *shown, ('ETag', etag), (VERSION, head.etag),
               (REGION, ','.join(map(str, asked.region))), (REDUCE, str(asked.task.reduce))]
    if has(env.get('HTTP_IF_NONE_MATCH', ''), etag):
        start_response('304 Not Modified', headers)
        return []
    if not has(env.get('HTTP_IF_MATCH', '*'), etag, head.etag):
        start_response('412 Precondition Failed', [*headers, ('Content-Length', '0')])
        return []
    start_response('200 OK', [*headers, ('Content-Type', part.content_type(asked.chain)),
                              ('Content-Length', str(len(part.body)))])
    return SentBody(part.body)


def has(text, *etags):
    """Return whether `text`, that of If-Match or If-None-Match, has one of some ETags, or is *."""
    return text.strip() == '*' or any(etag in text for etag in etags)
