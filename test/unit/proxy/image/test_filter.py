"""Requests that lb_image passes on as they are."""
import logging

import pytest
from swift.common.middleware.copy import filter_factory
from swift.common.swob import Request, Response

from swift_lb.proxy.image.filter import ImageFilter
from swift_lb.proxy.image.options import ImageFilterOptions


@pytest.mark.parametrize(('method', 'path', 'asked'), [
    ('COPY', '/v1/a/c/o.jp2', ['GET', 'PUT']), ('HEAD', '/v1/a/c/o.jp2', ['HEAD']),
    ('GET', '/v1/a/c', ['GET'])])
def test_copies_heads_and_listings_are_not_of_parts(method, path, asked):
    seen = []

    def swift(env, start_response):
        seen.append((env['REQUEST_METHOD'], env['QUERY_STRING']))
        return Response(request=Request(env), body=b'image')(env, start_response)
    app = filter_factory({})(ImageFilter(swift, ImageFilterOptions(), {}, logging.getLogger()))
    request = Request.blank(f'{path}?lb_reduce=1', headers={'Destination': 'c/copy'}, environ={
        'REQUEST_METHOD': method, 'swift.infocache': {}})
    assert request.get_response(app).status_int < 300
    assert seen == [(method, 'lb_reduce=1') for method in asked]
