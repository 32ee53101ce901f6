"""lb_from: valid for one path, for a minute, with the clusters' key; any other text is nothing."""
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.wire import redirect
from swift_lb.wire.redirect import (
    ABSENT,
    DIGITS,
    LASTS,
    Origin,
    decode,
    encode,
    version_of,
    with_parameter,
    without_parameter,
)

KEY, OTHER = b'a key of all the clusters', b'another key of clusters'
TARGET, NOW = '/v1/a/c/o?temp_url_sig=x', 1.7e9
UNNAMED = Origin('us.central.ksu', version_of('"d41d8"', '1700000000.12345'), 0.123, -0.045)
TEXT = encode(KEY, UNNAMED, NOW + LASTS, TARGET)
ORIGIN = UNNAMED._replace(name=TEXT.rpartition('.')[2][:DIGITS])


def test_a_redirect_is_the_same_after_it_was_encoded_and_decoded():
    assert ORIGIN == decode((OTHER, KEY), TEXT, TARGET, NOW)
    absent = Origin('eu', ABSENT)
    text = encode(KEY, absent, NOW + LASTS, '/')
    assert absent == decode((KEY,), text, '/', NOW + LASTS)._replace(name='')


def test_a_prediction_of_more_than_an_hour_is_not_told():
    text = encode(KEY, UNNAMED._replace(served=4e3, gain=float('-inf')), NOW + LASTS, TARGET)
    assert (None, None) == decode((KEY,), text, TARGET, NOW)[2:4]


@pytest.mark.parametrize(('keys', 'target', 'now'), [
    ((OTHER,), TARGET, NOW), ((), TARGET, NOW), ((KEY,), TARGET + '2', NOW),
    ((KEY,), TARGET, NOW + LASTS + 1), ((KEY,), TARGET, NOW - LASTS - 1)])
def test_another_key_path_or_time_makes_it_invalid(keys, target, now):
    assert decode(keys, TEXT, target, now) is None


def test_no_mutated_text_is_valid():
    rng = random.Random(1)
    for _time in range(20_000):
        place = rng.randrange(len(TEXT))
        mutated = TEXT[:place] + rng.choice('0123456789abcdef.~-z') + TEXT[place + rng.randint(
            0, 2):]
        if mutated != TEXT:
            assert decode((KEY,), mutated, TARGET, NOW) is None


@given(st.text(max_size=150))
def test_no_text_raises_an_error(text):
    assert decode((KEY,), text, TARGET, NOW) is None


def test_versions_ignore_the_quotes_of_an_etag_and_differ_by_timestamp():
    assert version_of('"a"', '1') == version_of('a', '1') != version_of('a', '2')
    assert redirect.TEXT.fullmatch(TEXT)


@pytest.mark.parametrize(('query', 'rest', 'value'), [
    ('', '', None), ('a=b', 'a=b', None), ('lb_from=x', '', 'x'), ('lb_from', '', ''),
    ('a=b&lb_from=x&c', 'a=b&c', 'x'), ('lb_from=x&lb_from=y', '', 'y'), ('xlb_from=x',
                                                                         'xlb_from=x', None)])
def test_the_parameter_is_taken_out_of_a_query(query, rest, value):
    assert (rest, value) == without_parameter(query)


def test_the_parameter_is_added_behind_the_others():
    assert '/v1/a/c/o?lb_from=x' == with_parameter('/v1/a/c/o', 'x')
    assert '/v1/a/c/o?a=b&lb_from=x' == with_parameter('/v1/a/c/o?a=b', 'x')
