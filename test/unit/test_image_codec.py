"""What is decoded is exactly what Pillow decodes of the whole image, cropped."""
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from support.images import codestream, pixels

from swift_lb.chains.chain import PNG, RAW, Region, Task
from swift_lb.chains.details import rebuild
from swift_lb.errors import ChainError
from swift_lb.image_codec import ImageCodec

LIMIT = 1 << 20
MODES = ['L', 'I;16', 'LA', 'RGB', 'RGBA']


def full(stream, reduce):
    """Return the array that Pillow decodes of a whole image; the sides are multiples of 2**4."""
    image = Image.open(io.BytesIO(stream))
    image.reduce = reduce
    image.load()
    return np.asarray(image)


def opened(file):
    """Return the array of a file of pixels, a PNG, a PGM or a PPM."""
    image = Image.open(io.BytesIO(file))
    return np.asarray(image if image.mode != 'I' else image.convert('I;16'))


@pytest.mark.parametrize('mode', MODES)
@settings(max_examples=12)
@given(x=st.integers(0, 79), y=st.integers(0, 47), width=st.integers(1, 99),
       height=st.integers(1, 99), reduce=st.integers(0, 3))
def test_pixels_are_those_of_the_whole_image(mode, x, y, width, height, reduce):
    stream = codestream(pixels(mode, 80, 48), tile=(32, 32))
    task = Task(Region(x, y, width, height), reduce)
    rows, columns = (slice(at >> reduce, -(-(at + side) >> reduce))
                     for at, side in ((y, height), (x, width)))
    wanted = full(stream, reduce)[rows, columns]
    for form in (PNG, RAW) if mode in ('L', 'I;16', 'RGB') else (PNG,):
        kind, file = ImageCodec(float).pixels(stream, task, form, LIMIT)
        assert (opened(file) == wanted).all()
        assert kind == ('image/png' if form == PNG else 'image/x-portable-pixmap' if mode == 'RGB'
                        else 'image/x-portable-graymap')


@pytest.mark.parametrize('mode', MODES)
@settings(max_examples=12)
@given(x=st.integers(0, 79), y=st.integers(0, 47), side=st.integers(1, 60),
       reduce=st.integers(0, 2), levels=st.integers(1, 2), lossless=st.booleans())
def test_coefficients_and_the_overview_give_the_pixels(mode, x, y, side, reduce, levels, lossless):
    stream = codestream(pixels(mode, 80, 48), tile=(32, 32), irreversible=not lossless)
    task = Task(Region(x, y, side, side), reduce)
    kind, message = ImageCodec(float).coefficients(stream, task, reduce + levels, LIMIT)
    found = rebuild(message, full(stream, reduce + levels))
    rows, columns = (slice(at >> reduce, -(-(at + side) >> reduce)) for at in (y, x))
    assert kind == 'application/vnd.swift-lb.coefficients'
    assert (found == full(stream, reduce)[rows, columns]).all()


def test_sizes_that_pillow_rounds_down_are_decoded():
    stream = codestream(pixels('L', 37, 5), tile=(64, 64))
    found = opened(ImageCodec(float).pixels(stream, Task(None, 3), PNG, LIMIT)[1])
    assert found.shape == (1, 5)


@pytest.mark.parametrize(('change', 'sentence'), [
    (lambda data: data[:30], 'the image is shorter than its header'),
    (lambda data: data[:900], 'the image can not be decoded: .*'),
    (lambda data: b'\x89PNG' + data[4:], 'the image is no JPEG 2000 codestream'),
    (lambda data: data[:8] + b'\0\0\x13\x88\0\0\x13\x88' + data[16:],
     '5000 x 5000 pixels would be decoded, and the limit is 1048576'),
    (lambda data: data[:8] + bytes(8) + data[16:], 'the image has no pixels'),
    (lambda data: data[:42] + b'\x8f' + data[43:], 'components that are signed, .*'),
    (lambda data: data[:40] + b'\0\x09' + data[42:],
     'the image has 9 components, and 1 to 4 are decoded')])
def test_what_can_not_be_decoded_is_refused_with_a_sentence(change, sentence):
    data = change(codestream(pixels('L', 64, 64), tile=(32, 32)))
    with pytest.raises(ChainError, match=f'^{sentence}$') as error:
        ImageCodec(float).pixels(data, Task(), PNG, LIMIT)
    assert error.value.status == '422 Unprocessable Entity'
