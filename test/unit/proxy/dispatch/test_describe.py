"""What is asked of the status page: a request that nobody has sent."""
import pytest

from swift_lb.proxy.dispatch.facts import facts_of_query


@pytest.mark.parametrize(('query', 'content', 'size'), [
    ({}, 'small', 0), ({'method': 'post'}, 'light', 0), ({'method': 'DELETE'}, 'light', 0),
    ({'method': 'PUT'}, 'large', None), ({'method': 'PUT', 'size': 'much'}, 'large', None),
    ({'method': 'PUT', 'size': '1000'}, 'small', 1000),
    ({'method': 'POST', 'size': '2000000'}, 'large', 2000000)])
def test_only_a_put_has_a_body_of_unknown_size_where_nobody_says_it(query, content, size):
    asked = facts_of_query({'path': '/v1/a/c/o', **query}, '127.0.0.1')
    assert (content, size) == (asked.content, asked.size)


def test_without_a_path_nothing_is_asked():
    assert facts_of_query({'method': 'GET'}, '127.0.0.1') is None
