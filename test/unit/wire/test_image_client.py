"""The header X-Lb-Client."""
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.chain import MOST_REDUCE, POINTS
from swift_lb.errors import WireError
from swift_lb.wire.image_client import ImageClient, decode, encode

RATES = st.none() | st.floats(1e-6, 1e12)
CLIENTS = st.builds(ImageClient, st.lists(st.sampled_from(POINTS), min_size=1, unique=True).map(
    tuple), RATES, RATES, RATES, st.none() | st.integers(0, MOST_REDUCE),
    st.none() | st.text('0123456789abcdef', min_size=32, max_size=32))


@given(CLIENTS)
def test_a_header_tells_what_the_client_said_to_six_digits(client):
    assert decode(encode(client)) == ImageClient(client.points, *(
        one if one is None or isinstance(one, str) else pytest.approx(one, rel=1e-5)
        for one in client[1:]))


def test_names_that_are_unknown_are_ignored():
    assert decode('later=1; points=D2, D4 ;x') == ImageClient(('D2', 'D4'))


@pytest.mark.parametrize(('text', 'sentence'), [
    ('', 'points=: must be some of D1,D2,D3,D4'), ('bandwidth=1', 'points=: must be'),
    ('points=D5', 'points=D5: must be'), ('points=D4; pixels=x', 'pixels=x: must be a number'),
    ('points=D4; latency=0', 'latency=0: must be a number above 0'),
    ('points=D4; bandwidth=nan', 'bandwidth=nan: must'), ('points=D4; pixels=inf', 'pixels=inf'),
    ('points=D4; overview=33', 'overview=33: must be a number from 0 to 32'),
    ('points=D4; version=a b', 'version=a b: must be the ETag'),
    ('points=D4; x=' + 500 * 'x', 'longer than 500')])
def test_a_wrong_header_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(WireError, match=sentence):
        decode(text)


@given(st.text(max_size=600))
def test_no_text_raises_another_error(text):
    with suppress(WireError):
        assert decode(text).points
