"""What is decoded from a cut is exactly what Pillow decodes of the whole image, cropped."""
import io
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from support.jpeg2000 import cut_of, decoded, encoded, index_of, noise, pixels_of_whole

from swift_lb.chains.chain import PNG, RAW, Region, Task
from swift_lb.chains.details import rebuild
from swift_lb.chains.jpeg2000.grid import Rectangle, read_grid
from swift_lb.errors import ChainError
from swift_lb.image_codec import ImageCodec, memory_of, opened, tiled

LIMIT = 1 << 20
MODES = ['L', 'I;16', 'LA', 'RGB', 'RGBA']
SIZE = 83, 61
KINDS = {'png': 'image/png', 'L': 'image/x-portable-graymap', 'I;16': 'image/x-portable-graymap',
         'RGB': 'image/x-portable-pixmap'}


@st.composite
def images(draw, mode):
    """Draw (file, Region) of an image of many tiles."""
    tile = draw(st.sampled_from(((32, 32), (16, 64), (24, 40))))
    file = encoded(noise(mode, *SIZE), tile_size=tile, num_resolutions=4, plt=draw(st.booleans()),
                   irreversible=draw(st.booleans()),
                   progression=draw(st.sampled_from(('RPCL', 'LRCP'))))
    x, y = (draw(st.integers(0, side - 1)) for side in SIZE)
    return file, Region(x, y, draw(st.integers(1, 99)), draw(st.integers(1, 99)))


@pytest.mark.parametrize('mode', MODES)
@settings(max_examples=15)
@given(data=st.data(), reduce=st.integers(0, 3))
def test_pixels_are_those_of_the_whole_image(mode, data, reduce):
    file, region = data.draw(images(mode))
    task = Task(region, reduce)
    wanted = np.asarray(pixels_of_whole(file, task))
    for form in (PNG, RAW) if mode in KINDS else (PNG,):
        kind, found = ImageCodec(float).pixels(cut_of(file, task), task, form, LIMIT)
        assert kind == KINDS[PNG if form == PNG else mode]
        assert (opened(found, LIMIT) == wanted).all()


@pytest.mark.parametrize('mode', MODES)
@settings(max_examples=15)
@given(data=st.data(), reduce=st.integers(0, 2), levels=st.integers(1, 3))
def test_coefficients_and_the_overview_give_the_pixels(mode, data, reduce, levels):
    file, region = data.draw(images(mode))
    task, overview = Task(region, reduce), min(3, reduce + levels)
    kind, message = ImageCodec(float).coefficients(cut_of(file, task, overview), task, overview,
                                                   LIMIT)
    found = rebuild(message, np.asarray(decoded(file, overview)))
    assert kind == 'application/vnd.swift-lb.coefficients'
    assert (found == np.asarray(pixels_of_whole(file, task))).all()


def test_what_was_decoded_is_counted():
    codec, file = ImageCodec(iter(range(9)).__next__), encoded(noise('L', 64, 64))
    codec.pixels(file, Task(Region(0, 0, 4, 8), 1), RAW, LIMIT)
    assert codec.spent == {'decode': (1, 32 * 32), 'raw': (1, 2 * 4)}
    codec.coefficients(file, Task(Region(0, 0, 4, 8)), 1, LIMIT)
    assert codec.spent == {'decode': (1, 64 * 64 + 32 * 32), 'coefficients': (1, 4 * 8)}


@pytest.mark.parametrize(('change', 'sentence'), [
    (lambda data: data[:30], '.*'),
    (lambda data: data[:900], 'the image is truncated, .*'),
    (lambda data: b'\x89PNG' + data[4:], 'the image has a damaged header'),
    (lambda data: data[:8] + b'\0\0\xea\x60' * 2 + data[16:], '.* too many tiles or pixels'),
    (lambda data: data[:8] + b'\0\0\4\1\0\0\4\1' + data[16:], 'the image lacks tiles, .*'),
    (lambda data: data[:8] + bytes(8) + data[16:], 'the image has no valid size'),
    (lambda data: data[:40] + b'\0\x09' + data[42:], 'the image has no valid size')])
def test_what_can_not_be_decoded_is_refused_with_a_sentence(change, sentence):
    data = change(encoded(noise('L', 64, 64), tile_size=(32, 32)))
    with pytest.raises(ChainError, match=f'^{sentence}$') as error:
        ImageCodec(float).pixels(data, Task(), PNG, LIMIT)
    assert error.value.status == '422 Unprocessable Entity'


def test_more_pixels_than_the_limit_are_refused_before_anything_is_decoded():
    data = bytearray(encoded(noise('L', 64, 64), tile_size=(64, 64)))
    data[8:16] = data[24:32] = b'\0\0\xea\x60' * 2      # one tile of 60000 x 60000
    with pytest.raises(ChainError, match='60000 x 60000 pixels would be decoded, and') as error:
        ImageCodec(float).pixels(bytes(data), Task(), PNG, LIMIT)
    assert error.value.status == '413 Content Too Large'


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('size', [(300, 70), (1, 1), (2, 513)])
def test_an_image_that_is_put_is_lossless_and_has_its_index_in_front(mode, size):
    pixels = np.asarray(noise(mode, *size))
    data = tiled(pixels, tile=64)
    index = index_of(data)
    assert (np.asarray(decoded(data)) == pixels).all()
    assert index.sums
    assert (index.uncut == '') == (max(size) > 64)
    assert np.asarray(Image.open(io.BytesIO(data))).dtype == pixels.dtype


@pytest.mark.parametrize(('mode', 'kept'), [
    ('1', 'L'), ('P', 'RGB'), ('L', 'L'), ('LA', 'LA'), ('RGB', 'RGB'), ('RGBA', 'RGBA')])
def test_files_of_other_formats_are_opened_exactly(mode, kept):
    base = noise('RGBA', 20, 30)
    image, file = (base.convert('RGB') if mode == 'P' else base).convert(mode), io.BytesIO()
    image.save(file, 'PNG')
    assert (opened(file.getvalue()) == np.asarray(image.convert(kept))).all()


def test_a_gray_image_of_16_bits_is_opened_and_stored_exactly():
    image, file = noise('I;16', 20, 30), io.BytesIO()
    image.save(file, 'PNG')
    assert (opened(file.getvalue()) == np.asarray(image)).all()
    assert (np.asarray(decoded(tiled(opened(file.getvalue()), 16))) == np.asarray(image)).all()


def test_a_file_of_more_pixels_than_the_limit_is_not_opened():
    with pytest.raises(ChainError, match='the image has 8 x 8 pixels, and the limit is 63'):
        opened(encoded(noise('L', 8, 8)), 63)


def test_what_needs_more_memory_than_the_limit_is_refused_before_it_is_decoded():
    data = bytearray(encoded(noise('RGB', 64, 64), tile_size=(64, 64)))
    data[8:16] = data[24:32] = struct.pack('>II', 4000, 4000)       # one tile
    codec = ImageCodec(float, 200 << 20)
    with pytest.raises(ChainError, match='needs about 299 MiB of memory, and the limit is 200 M'):
        codec.pixels(bytes(data), Task(Region(0, 0, 64, 64)), PNG, 1 << 26)
    grid = read_grid(bytes(data[6:51]))
    assert memory_of(grid, 1, Rectangle(0, 0, 1, 1)) < 85 << 20


@pytest.mark.parametrize('file', [b'', b'GIF89a', b'\xff\x4f\xff\x51'])
def test_a_file_that_is_no_image_is_refused(file):
    with pytest.raises(ChainError, match=r'the file can not be read as an image: [^<]*$'):
        opened(file)


def test_pixels_that_jpeg_2000_does_not_keep_are_refused():
    file = io.BytesIO()
    Image.new('F', (2, 2)).save(file, 'TIFF')
    with pytest.raises(ChainError, match='pixels of the kind F can not be kept'):
        opened(file.getvalue())
