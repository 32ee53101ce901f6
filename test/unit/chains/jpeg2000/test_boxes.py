"""JP2 files: where the codestream is, and which are images whose samples are not their colours."""
from struct import pack

import pytest
from support.jpeg2000 import cut_of, decoded, encoded, index_of, noise, pixels_in

from swift_lb.chains.chain import Task
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.errors import ChainError


def box(kind, content, long=False):
    """Return a box."""
    if long:
        return pack('>I4sQ', 1, kind, len(content) + 16) + content
    return pack('>I4s', len(content) + 8, kind) + content


def jp2(*header, before=b'', long=False):
    """Return a JP2 file of a small RGB image with more boxes in its header."""
    codestream = encoded(noise('RGB', 100, 100), tile_size=(64, 64))
    size = box(b'ihdr', pack('>IIHBBBB', 100, 100, 3, 7, 7, 0, 0))
    return (box(b'jP  ', b'\r\n\x87\n') + box(b'ftyp', b'jp2 \0\0\0\0jp2 ') + before
            + box(b'jp2h', size + b''.join(header)) + box(b'jp2c', codestream, long))


def colr(number):
    """Return a colr box of an enumerated colour space."""
    return box(b'colr', pack('>BBBI', 1, 0, 0, number))


def cdef(*entries):
    """Return a cdef box of (channel, type, association)."""
    return box(b'cdef', pack('>H', len(entries)) + b''.join(pack('>HHH', *it) for it in entries))


RGB = (0, 0, 1), (1, 0, 2), (2, 0, 3)


@pytest.mark.parametrize('data', [
    jp2(colr(16)), jp2(colr(16), long=True), jp2(colr(16), cdef(*RGB)),
    jp2(colr(16), before=box(b'xml ', bytes(200_000))), jp2(box(b'colr', b'\2\0\0profile'))])
def test_images_in_rgb_are_cut(data):
    works, why = CHAIN.works(index_of(data), Task())
    assert [work.point for work in works] == ['D1', 'D2', 'D4', 'D4']
    assert list(why) == ['D3']
    assert pixels_in(cut_of(data, Task()), Task()).tobytes() == decoded(data).tobytes()


@pytest.mark.parametrize(('data', 'reason'), [
    (jp2(colr(16), box(b'pclr', bytes(9))), 'the image has a palette'),
    (jp2(colr(18)), 'the colour space of the image is neither sRGB nor gray'),
    (jp2(colr(16), cdef(RGB[0], (1, 0, 3), (2, 0, 2))),
     'the channels of the image are not in their usual order')])
def test_of_other_images_only_the_object_is_sent(data, reason):
    works, why = CHAIN.works(index_of(data), Task())
    assert [work.point for work in works] == ['D1']
    assert why == dict.fromkeys(('D2', 'D3', 'D4'), reason)


@pytest.mark.parametrize(('data', 'sentence'), [
    (b'', 'the object is no JPEG 2000 image'), (b'GIF89a', 'the object is no JPEG 2000 image'),
    (jp2(colr(16))[:120], 'the image is truncated, or has a damaged box'),
    (jp2()[:32] + box(b'free', b''), 'the image is truncated'),
    (jp2()[:32] + box(b'free', b'') * 70, 'the JP2 file has no codestream behind its header')])
def test_what_is_no_image_is_refused(data, sentence):
    with pytest.raises(ChainError, match=f'^{sentence}$'):
        index_of(data)
