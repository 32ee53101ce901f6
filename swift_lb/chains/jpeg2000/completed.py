"""Puts together what an encoder has made: columns of tiles, and the boxes of a JP2 file. Pure."""
from struct import Struct

from swift_lb.chains.chain import in_memory
from swift_lb.chains.jpeg2000.boxes import SIGNATURE
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.markers import EOC, SOT_SEGMENT, TWO

_WIDTH_AT, _LENGTH = 8, Struct('>I')
_SRGB, _GRAY = 16, 17
_HEADER = Struct('>IIHBBBB')        # ihdr
_CHANNELS = Struct('>HHH')          # of cdef: channel, type, colour


def side_by_side(columns, width):
    """Return the codestream of an image `width` wide, from those of its columns of tiles.

    They are at their places on the canvas, the first one at its corner.
    """
    body = _parts(columns[0])[1]
    head = columns[0][:_WIDTH_AT] + _LENGTH.pack(width) + columns[0][_WIDTH_AT + 4:body]
    renumbered = [(tile * len(columns) + column, part) for column, codestream in enumerate(columns)
                  for tile, part in _parts(codestream)[0]]
    pieces = []
    for tile, part in sorted(renumbered, key=lambda one: one[0]):
        fields = list(SOT_SEGMENT.unpack_from(part))
        fields[2] = tile
        pieces += [SOT_SEGMENT.pack(*fields), part[SOT_SEGMENT.size:]]
    return b''.join((head, *pieces, TWO.pack(EOC)))


def _parts(codestream):
    """Return ([(tile, bytes of a tile-part), ...], offset of the first one)."""
    index = in_memory(read_index(len(codestream), len(codestream)), codestream)
    found = sorted(zip(*index.parts[:3], strict=True), key=lambda part: part[1])
    return [(tile, codestream[at:at + length]) for tile, at, length in found], index.body


def in_boxes(codestream, width, height, components, bits):
    """Return a JP2 file of a codestream of gray or RGB pixels, with alpha if there are 2 or 4."""
    alpha = components in (2, 4)
    colour = _SRGB if components > 2 else _GRAY
    header = _box(b'ihdr', _HEADER.pack(height, width, components, bits - 1, 7, 0, 0))
    header += _box(b'colr', b'\x01\0\0' + _LENGTH.pack(colour))
    if alpha:
        channels = [(number, 0, number + 1) for number in range(components - 1)]
        entries = b''.join(_CHANNELS.pack(*one) for one in [*channels, (components - 1, 1, 0)])
        header += _box(b'cdef', TWO.pack(components) + entries)
    return b''.join((SIGNATURE, _box(b'ftyp', b'jp2 \0\0\0\0jp2 '), _box(b'jp2h', header),
                     _LENGTH.pack(0), b'jp2c', codestream))


def _box(kind, content):
    return _LENGTH.pack(len(content) + 8) + kind + content
