"""Messages to swift-lb-image, and what is a valid job."""
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.chain import Region, Task
from swift_lb.errors import ChainError, WireError
from swift_lb.wire.image_job import (
    HEAD,
    MOST_BODY,
    MOST_JSON,
    ImageJob,
    job_of,
    lengths,
    message_of,
    pack,
    pack_begin,
)

JOB = {'do': 'run', 'chain': 'jpeg2000', 'step': 'coefficients', 'task': [1, 2, 3, 4, 1],
       'overview': 3, 'key': 'ab' * 32, 'spent': 1}
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=6)


@given(st.text(), st.binary())
def test_a_message_comes_back(text, body):
    data = pack({'x': text}, body)
    size, rest = lengths(data[:HEAD.size])
    assert message_of(data[HEAD.size:HEAD.size + size]) == {'x': text}
    assert data[HEAD.size + size:] == body
    assert rest == len(body)


@pytest.mark.parametrize('data', [b'', b'[1]', b'{', b'\xff', b'[' * 60_000, b'9' * 5000])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(WireError):
        message_of(data)


@pytest.mark.parametrize(('message', 'size'), [({}, MOST_BODY + 1), ({'x': 'x' * MOST_JSON}, 0)])
def test_a_message_that_is_too_long_is_not_made(message, size):
    with pytest.raises(WireError, match='is too long'):
        pack_begin(message, size)
    with pytest.raises(WireError, match='is too long'):
        lengths(HEAD.pack(MOST_JSON + 1, size))


def test_a_job_is_read_with_its_defaults():
    assert job_of(JOB) == ImageJob('jpeg2000', 'coefficients', Task(Region(1, 2, 3, 4), 1), '', 3,
                                   'ab' * 32, 1.0)
    assert job_of({'chain': 'x', 'step': 'pixels', 'task': [None] * 4 + [0], 'form': 'png'}) == (
        ImageJob('x', 'pixels', Task(), 'png', None, None, 0.0))


@given(st.sampled_from(sorted(JOB)), JSON)
def test_any_field_of_any_type_is_read_or_refused_with_a_sentence(name, value):
    with suppress(ChainError):
        assert isinstance(job_of(JOB | {name: value}), ImageJob)
