"""`swift-lb image put`: what is written of files of many kinds, and what is told of it."""
import argparse
import io
import struct
import zlib

import numpy as np
import pytest
from support.jpeg2000 import decoded, encoded, index_of, noise

from swift_lb import cli
from swift_lb.console import options
from swift_lb.console.image import command
from swift_lb.console.image.command import with_tiles
from swift_lb.errors import ChainError


@pytest.fixture
def put(monkeypatch, tmp_path, capsys):
    """Return a function that puts the bytes of a file; it returns (type, object, what is told)."""
    class Server:
        address, put = staticmethod(str), staticmethod(lambda *args: sent.append(args))
    sent = []
    monkeypatch.setattr(command, 'from_environment', Server)

    def put(data, *words):
        (tmp_path / 'file').write_bytes(data)
        status = cli.main(['image', 'put', str(tmp_path / 'file'), 'maps/o', *words])
        said = ''.join(capsys.readouterr()).replace(f'{tmp_path}/', '')
        return (*reversed(sent.pop()[1:]), said) if not status else said
    return put


def saved(image, form, **more):
    """Return the bytes of a file in a format of Pillow's."""
    file = io.BytesIO()
    image.save(file, form, **more)
    return file.getvalue()


@pytest.mark.parametrize(('words', 'told'), [
    ((), 'in tiles of 256 x 256 pixels\n'), (('--tile', '64'), 'in tiles of 64 x 64 pixels\n'),
    (('--tile', '9999999999'), 'in tiles of 300 x 300 pixels\n')])
def test_an_image_is_written_in_tiles(put, words, told):
    image = noise('RGB', 300, 200)
    kind, data, said = put(saved(image, 'PNG'), *words)
    assert (kind, said) == ('image/jp2', f'maps/o: {len(data):,} bytes, {told}')
    assert np.array_equal(decoded(data), image)


@pytest.mark.parametrize(('boxes', 'kind'), [(True, 'image/j2c'), (False, 'image/jp2')])
def test_a_file_with_tiles_keeps_them_and_has_its_own_type(put, boxes, kind):
    file = encoded(noise('L', 300, 200), tile_size=(128, 64), no_jp2=boxes)
    assert put(file)[::2] == (kind, f'maps/o: {len(with_tiles(file, 256)):,} bytes, in tiles of '
                                    '128 x 64 pixels\n')


ONE = encoded(noise('L', 300, 200))
# The header says five components: Pillow reads four at most.
FIVE = ONE[:4] + bytes((0, 53)) + ONE[6:40] + bytes((0, 5)) + 5 * ONE[42:45] + ONE[45:]


def test_a_file_with_tiles_that_pillow_does_not_know_keeps_them(put):
    assert put(FIVE)[0] == 'image/j2c'


@pytest.mark.parametrize('mode', ['L', 'RGB'])
def test_a_transparent_colour_becomes_alpha(put, mode):
    image = noise(mode, 30, 20)
    colour = image.getpixel((3, 4))
    data = put(saved(image, 'PNG', transparency=colour))[1]
    pixels = np.asarray(decoded(data))
    same = (np.asarray(image).reshape(20, 30, -1) == colour).all(axis=2)
    assert np.array_equal(pixels[:, :, -1], np.where(same, 0, 255))


def test_of_several_images_the_first_one_is_written_and_that_is_told(put):
    first, second = noise('L', 30, 20, 1), noise('L', 30, 20, 2)
    _kind, data, said = put(saved(first, 'TIFF', save_all=True, append_images=[second]))
    assert np.array_equal(decoded(data), first)
    assert said.endswith('; the first of 2 images of file\n')


def chunk(name, data):
    """Return a chunk of a PNG."""
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def wide_png(kind, channels):
    """Return a PNG of 2 x 1 pixels of 16 bits: Pillow cannot write one of several channels."""
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 2, 1, 16, kind, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(bytes(1 + 4 * channels))) + chunk(b'IEND', b''))


WIDE = 'several components of 16 bits can not be kept: only gray and RGB'
SIGNED = bytearray(encoded(noise('L', 64, 64), tile_size=(0, 0)))
SIGNED[42] |= 0x80
DDS = saved(noise('RGB', 9, 9), 'DDS')


@pytest.mark.parametrize(('file', 'why'), [
    (wide_png(2, 3), WIDE), (wide_png(6, 4), WIDE), (wide_png(4, 2), WIDE),
    (b'P6 1 1 65535\n123456', WIDE), (b'P3 1 1 65535\n1 2 3', WIDE),
    (saved(noise('RGB', 9, 9).convert('CMYK'), 'TIFF'), 'of the kind CMYK can not be kept: only'),
    (bytes(SIGNED), 'the image is not tiled, and it can not be encoded anew: components that are'),
    (DDS[:80] + bytes(4) + DDS[84:], 'can not be read as an image: Unknown pixel format flags 0'),
    (b'no image', 'its format is unknown')])
def test_what_would_lose_bits_is_refused(put, file, why):
    said = put(file)
    assert said.startswith('swift-lb image: file: ')
    assert why in said


@pytest.mark.parametrize('file', [
    wide_png(0, 1), b'P5 1 1 65535\n12', b'P6 1 1 255\n123', b'P2 1 1 255\n9', b'P1 1 1\n1'])
def test_what_loses_no_bits_is_written(put, file):
    assert 'in tiles of' in put(file)[2]


def test_more_tiles_than_a_file_can_have_are_refused():
    with pytest.raises(ChainError, match='300 x 300 pixels have 90000 tiles of 1 x 1, and 65535 '):
        with_tiles(saved(noise('L', 300, 300), 'PNG'), 1)


@pytest.mark.parametrize('text', ['0', '-5', 'x', '', '1.5'])
def test_a_wrong_size_of_tiles_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match='must be a number of pixels, at least 1'):
        options.tile(text)


def test_the_tiles_of_a_written_image_have_lengths():
    assert index_of(with_tiles(saved(noise('L', 300, 300), 'PNG'), 64)).sums
