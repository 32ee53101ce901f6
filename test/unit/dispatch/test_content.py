"""The class of a request by method, path, query and size; and when light ones are delegated."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.dispatch.content import (
    CLASSES,
    COMPUTING,
    LARGE,
    LARGE_FROM,
    LIGHT,
    SMALL,
    content_class,
    stay_margin,
)

ACCOUNT, CONTAINER, OBJECT = '/v1/AUTH_a', '/v1/AUTH_a/c', '/v1/AUTH_a/c/o/with/slashes'


@pytest.mark.parametrize(('method', 'path', 'size', 'query', 'content'), [
    ('HEAD', OBJECT, 0, '', LIGHT),
    ('POST', OBJECT, 0, '', LIGHT),
    ('DELETE', OBJECT, 0, '', LIGHT),
    ('PUT', CONTAINER, 0, '', LIGHT),
    ('PUT', CONTAINER + '/', 0, '', LIGHT),
    ('OPTIONS', OBJECT, 0, '', LIGHT),
    ('GET', '/info', 0, '', LIGHT),
    ('GET', '/healthcheck', 0, '', LIGHT),
    ('GET', '/auth/v1.0', 0, '', LIGHT),
    ('GET', OBJECT, 0, '', SMALL),
    ('GET', ACCOUNT, 0, 'format=json', SMALL),
    ('GET', CONTAINER, 0, '', SMALL),
    ('PUT', OBJECT, 0, '', SMALL),
    ('PUT', OBJECT, LARGE_FROM - 1, '', SMALL),
    ('PUT', OBJECT, LARGE_FROM, '', LARGE),
    ('PUT', OBJECT, None, '', LARGE),
    ('POST', CONTAINER + '/prefix', LARGE_FROM, '', LARGE),             # formpost
    ('COPY', OBJECT, 0, '', COMPUTING),
    ('PUT', OBJECT, 900, 'multipart-manifest=put', COMPUTING),
    ('PUT', OBJECT, 900, 'a=b&multipart-manifest=put&c', COMPUTING),
    ('DELETE', OBJECT, 0, 'multipart-manifest=delete', COMPUTING),
    ('GET', OBJECT, 0, 'multipart-manifest=get', SMALL),
    ('GET', OBJECT, 0, 'lb_region=0,0,512,512', COMPUTING),
    ('GET', OBJECT, 0, 'a=b&lb_reduce=1', COMPUTING),
    ('GET', OBJECT, 0, 'a=lb_reduce', SMALL),
    ('GET', CONTAINER, 0, 'lb_reduce=1', SMALL),
    ('PUT', ACCOUNT, None, 'extract-archive=tar.gz', COMPUTING),
    ('POST', ACCOUNT, 900, 'bulk-delete', COMPUTING),
    ('DELETE', ACCOUNT, 900, 'bulk-delete=1', COMPUTING),
    ('PUT', '/bucket', 0, '', LIGHT),                                   # S3, from here on
    ('GET', '/bucket/key', 0, '', SMALL),
    ('PUT', '/bucket/key', LARGE_FROM, '', LARGE),
    ('PUT', '/bucket/key', 0, '', SMALL),
    ('POST', '/bucket', 900, 'delete', COMPUTING),
    ('POST', '/bucket/key', 0, 'uploads', LIGHT),
    ('POST', '/bucket/key', 900, 'uploadId=1', COMPUTING),
    ('PUT', '/bucket/key', LARGE_FROM, 'partNumber=1&uploadId=1', LARGE)])
def test_method_path_query_and_size_give_a_requests_class(method, path, size, query, content):
    assert content == content_class(method, path, size, query)


def test_copy_headers_and_ranges_change_a_requests_class():
    assert COMPUTING == content_class('PUT', OBJECT, copies=True)
    assert SMALL == content_class('GET', OBJECT, range_size=LARGE_FROM - 1)
    assert LARGE == content_class('GET', OBJECT, range_size=LARGE_FROM)


@given(st.text(), st.text(), st.none() | st.integers(0), st.text(), st.booleans(),
       st.none() | st.integers(0))
def test_any_request_gets_one_of_the_content_classes(method, path, size, query, copies, range_size):
    assert content_class(
        method, path, size, query, copies=copies, range_size=range_size) in CLASSES


@pytest.mark.parametrize(('content', 'here', 'there', 'stays'), [
    (LIGHT, 0.010, 0.005, True),        # moderate
    (LIGHT, 0.015, 0.004, True),
    (LIGHT, 0.016, 0.004, False),       # 4 times
    (LIGHT, 0.250, 0.160, True),
    (LIGHT, 0.250, 0.150, False),       # 100 ms
    (SMALL, 0.010, 0.009, False), (SMALL, 0.010, 0.010, False), (SMALL, 0.010, 0.011, True),
    (LARGE, 0.010, 0.009, False), (COMPUTING, 0.010, 0.009, False)])
def test_light_requests_are_delegated_only_to_much_faster_peers(content, here, there, stays):
    assert stays == stay_margin(content).keeps(here, there)
