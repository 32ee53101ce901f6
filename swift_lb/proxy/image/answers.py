"""The HTTP answer with a part of an image."""
POINT, VERSION = 'X-Lb-Point', 'X-Lb-Object-Etag'
REGION, REDUCE = 'X-Lb-Region', 'X-Lb-Reduce'
ETAG = 32           # hexadecimal digits of a part's
OF_OBJECT = frozenset((     # headers of the object that a part of it does not have
    'content-length', 'content-type', 'content-encoding', 'etag', 'accept-ranges', 'date',
    'connection', 'transfer-encoding', 'x-trans-id', 'x-openstack-request-id',
    # a filter that sees these takes the body for a manifest
    'x-static-large-object', 'x-object-manifest', 'x-manifest-etag'))


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
    etag = f'"{part.key[:ETAG]}"'
    headers = [*((name, value) for name, value in head.headers if name.lower() not in OF_OBJECT),
               *shown, ('ETag', etag), (VERSION, head.etag),
               (REGION, ','.join(map(str, asked.region))), (REDUCE, str(asked.task.reduce))]
    if etag in env.get('HTTP_IF_NONE_MATCH', ''):
        start_response('304 Not Modified', headers)
        return []
    start_response('200 OK', [*headers, ('Content-Type', part.content_type),
                              ('Content-Length', str(len(part.body)))])
    return [part.body]
