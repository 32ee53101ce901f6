"""The header X-Lb-Load: what is written, and what is refused."""
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swift_lb.wire.peer_load import MAX_REQUESTS, MAX_SECONDS, PeerLoad, decode, encode

TEXT = 'in_flight=7 expected=0.034100 step=0.005200 took=0.012300'
LOADS = st.builds(PeerLoad, st.integers(0, MAX_REQUESTS), st.floats(1e-6, MAX_SECONDS),
                  st.floats(0.0, MAX_SECONDS))


def test_a_load_is_written_in_the_documented_format():
    assert TEXT == encode(PeerLoad(7, 0.0341, 0.0052), 0.0123)
    assert (PeerLoad(7, 0.0341, 0.0052), 0.0123) == decode(TEXT)


@given(LOADS, st.floats(0.0, MAX_SECONDS))
def test_a_load_is_read_back_to_the_microsecond(load, took):
    text = encode(load, took)
    result, seconds = decode(text)
    assert (*result, seconds) == pytest.approx((*load, took), abs=1e-6)
    assert len(text) <= 78
    assert text == encode(result, seconds)


@given(st.integers(), st.floats(), st.floats(), st.floats())
@example(0, 0.0, -0.0, -0.0)
def test_any_load_is_written_and_read_back_within_its_bounds(in_flight, seconds, step, took):
    result, took = decode(encode(PeerLoad(in_flight, seconds, step), took))
    assert 0 <= result.in_flight <= MAX_REQUESTS
    assert 0 < result.seconds <= MAX_SECONDS
    assert 0 <= min(result.step, took) <= max(result.step, took) <= MAX_SECONDS


def test_nan_and_infinity_become_the_largest_value():
    assert (PeerLoad(0, MAX_SECONDS, MAX_SECONDS), MAX_SECONDS) == decode(
        encode(PeerLoad(0, math.nan, math.inf), math.nan))


@pytest.mark.parametrize('text', [
    None, '', b'', 7, TEXT.encode(), TEXT + ' ', ' ' + TEXT, TEXT + '\n', TEXT + ' more=1',
    TEXT.replace('7', '-7'), TEXT.replace('=7', '=1000000'), TEXT.replace('=7', '=7.0'),
    TEXT.replace('=7', '=\u0667'), TEXT.replace('0.0341', 'nan'), TEXT.replace('0.034100', 'inf'),
    TEXT.replace('0.034100', '3.41e-2'), TEXT.replace('0.034100', '0.0341'),
    TEXT.replace('0.034100', '0.000000'), TEXT.replace('0.034100', '9999.000001'),
    TEXT.replace('0.005200', '9999.000001'), TEXT.replace('0.012300', '9999.000001'),
    TEXT.replace('0.005200', '-0.005200'), TEXT.replace(' ', '  '), TEXT.replace(' ', ','),
    TEXT.replace('step', 'slope'), TEXT.partition(' took')[0], '9' * 10**6,
    'in_flight=' + '9' * 10**6 + TEXT[11:]])
def test_text_that_is_no_load_is_decoded_to_none(text):
    assert decode(text) is None


@given(st.none() | st.text() | st.binary() | st.from_regex(
    r'\Ain_flight=[0-9-]{1,8} expected=[0-9.e-]{1,12} step=[0-9.e-]{1,12} took=[0-9.]{1,12}\s?\Z'))
def test_any_text_is_decoded_to_a_valid_load_or_none(text):
    result = decode(text)
    if result is not None:
        load, took = result
        assert load.in_flight >= 0 < load.seconds <= MAX_SECONDS
        assert 0 <= min(load.step, took) <= max(load.step, took) <= MAX_SECONDS
