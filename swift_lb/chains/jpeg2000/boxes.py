"""The boxes of a JP2 file, of which one has the codestream. Pure.

ITU-T T.800, annex I. A box is its length in four bytes, its type, and its content; length 1 means
that eight bytes with the length follow the type, and length 0 that the box ends with the file.
"""
from struct import Struct

from swift_lb.chains.jpeg2000.markers import SIZ, SOC, TWICE
from swift_lb.errors import ChainError

START = TWICE.pack(SOC, SIZ)
CODESTREAM, LONG_BOX = b'jp2c', 1
SIGNATURE = b'\x00\x00\x00\x0cjP  \r\n\x87\n'
NONE = 'the object is no JPEG 2000 image'
_BOX, _LONG, _CHANNEL = Struct('>I4s'), Struct('>Q'), Struct('>HHH')
_MAX_BOXES, _MAX_HEADER = 64, 1 << 20
_SRGB, _GREY, _OPACITY = 16, 17, 1


def find_codestream(window):
    """Return (offset, end, why its samples are no colours or '') of the codestream: a generator.

    `window` is a ByteWindow, in which the beginning of the object has been read.
    """
    if window.data.startswith(START):
        return 0, window.size, ''
    if not window.data.startswith(SIGNATURE):
        raise ChainError(NONE)
    at, colours = len(SIGNATURE), None
    for _ in range(_MAX_BOXES):
        kind, first, end = yield from _box(window, at)
        if kind == CODESTREAM and colours is not None:
            return first, end, colours
        if kind == b'jp2h':
            if end - first > _MAX_HEADER:
                break
            place = yield from window.have(first, end)
            colours = _colours(window.data[place:place + end - first])
        at = end
    raise ChainError('the JP2 file has no codestream behind its header')


def _box(window, at):
    """Return (type, offset of the content, end) of the box at an offset: a generator."""
    place = yield from window.have(at, at + 8, 65536)
    length, kind = _BOX.unpack_from(window.data, place)
    first = at + 8
    if length == LONG_BOX:
        place = yield from window.have(first, first + 8, 65536)
        length, = _LONG.unpack_from(window.data, place)
        first += 8
    end = at + length if length else window.size
    if not first <= end <= window.size:
        raise ChainError('the image is truncated, or has a damaged box')
    return kind, first, end


def _colours(header):
    """Return why the samples of a codestream are no colours, by the content of its jp2h box."""
    boxes = list(_boxes(header))
    if any(kind in (b'pclr', b'cmap') for kind, _ in boxes):
        return 'the image has a palette'
    for kind, content in boxes:
        if kind == b'colr' and content[:1] == b'\x01':
            if int.from_bytes(content[3:7], 'big') not in (_SRGB, _GREY):
                return 'the colour space of the image is neither sRGB nor gray'
            break
    if any(kind == b'cdef' and not _in_order(content) for kind, content in boxes):
        return 'the channels of the image are not in their usual order'
    return ''


def _boxes(data):
    """Yield (type, content) of the boxes in `data`."""
    at = 0
    while at + 8 <= len(data):
        length, kind = _BOX.unpack_from(data, at)
        end = at + length if length else len(data)
        if length in range(1, 8) or end > len(data):
            raise ChainError('the image has a damaged box')
        yield kind, data[at + 8:end]
        at = end


def _in_order(content):
    """Return whether a cdef box has red, green, blue, and at most opacity after the colours."""
    entries = list(_CHANNEL.iter_unpack(content[2:])) if len(content) % 6 == 2 else [None]
    usual = [(number, 0, number + 1) for number in range(len(entries))]
    return entries == usual or entries == [*usual[:-1], (len(entries) - 1, _OPACITY, 0)]
