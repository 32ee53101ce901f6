"""RequestFacts, made of a request's environment, or of a query of the status page."""
import pytest

from swift_lb.proxy.dispatch.facts import body_size, facts_of_query, range_size


@pytest.mark.parametrize(('text', 'size'), [
    ('bytes=0-0', 1), ('bytes=10-1048585', 1 << 20), ('bytes=-500', 500), ('bytes=0-9,20-29', 20),
    ('bytes=0-9,-5', 15), ('bytes=5-', None), ('bytes=0-9,5-', None), ('bytes=-', None),
    ('bytes=', None), ('items=0-9', None), ('bytes=a-b', None), ('bytes=0-9;x', None), ('', None),
    (None, None), ('bytes=' + '1' * 30 + '-', None)])
def test_the_size_of_a_range_header_is_the_sum_of_its_ranges(text, size):
    assert size == range_size(text)


@pytest.mark.parametrize(('env', 'size'), [
    ({}, 0), ({'CONTENT_LENGTH': ''}, 0), ({'CONTENT_LENGTH': '7'}, 7),
    ({'CONTENT_LENGTH': '-7'}, None), ({'CONTENT_LENGTH': '7,7'}, None),
    ({'HTTP_TRANSFER_ENCODING': 'chunked'}, None)])
def test_the_size_of_a_body_is_its_content_length(env, size):
    assert size == body_size(env)


@pytest.mark.parametrize(('query', 'content', 'size'), [
    ({}, 'small', 0), ({'method': 'post'}, 'light', 0), ({'method': 'DELETE'}, 'light', 0),
    ({'method': 'PUT'}, 'large', None), ({'method': 'PUT', 'size': 'much'}, 'large', None),
    ({'method': 'PUT', 'size': '1000'}, 'small', 1000),
    ({'method': 'POST', 'size': '2000000'}, 'large', 2000000)])
def test_a_status_query_for_a_put_without_size_has_unknown_size(query, content, size):
    facts = facts_of_query({'path': '/v1/a/c/o', **query}, '127.0.0.1')
    assert (content, size) == (facts.content, facts.size)


def test_a_status_query_without_a_path_gives_none_for_its_facts():
    assert facts_of_query({'method': 'GET'}, '127.0.0.1') is None
