"""What a header says of sizes."""
import pytest

from swift_lb.proxy.dispatch.facts import body_size, range_size


@pytest.mark.parametrize(('text', 'size'), [
    ('bytes=0-0', 1), ('bytes=10-1048585', 1 << 20), ('bytes=-500', 500), ('bytes=0-9,20-29', 20),
    ('bytes=0-9,-5', 15), ('bytes=5-', None), ('bytes=0-9,5-', None), ('bytes=-', None),
    ('bytes=', None), ('items=0-9', None), ('bytes=a-b', None), ('bytes=0-9;x', None), ('', None),
    (None, None), ('bytes=' + '1' * 30 + '-', None)])
def test_range(text, size):
    assert size == range_size(text)


@pytest.mark.parametrize(('env', 'size'), [
    ({}, 0), ({'CONTENT_LENGTH': ''}, 0), ({'CONTENT_LENGTH': '7'}, 7),
    ({'CONTENT_LENGTH': '-7'}, None), ({'CONTENT_LENGTH': '7,7'}, None),
    ({'HTTP_TRANSFER_ENCODING': 'chunked'}, None)])
def test_body(env, size):
    assert size == body_size(env)
