"""An ImageIndex as bytes. Pure."""
import struct
import sys
import zlib
from array import array

from swift_lb.chains.jpeg2000.index import ImageIndex
from swift_lb.chains.jpeg2000.main_header import read_header
from swift_lb.chains.jpeg2000.markers import SOT, segment, segments
from swift_lb.chains.jpeg2000.tile_parts import TileParts
from swift_lb.errors import ChainError

_MAGIC, _HEAD = b'lbj2k 1\n', struct.Struct('>8sIQQQQ6I')
_CODES = 'HQQIBQ'           # of the arrays: those of TileParts, then runs and sums


def dump_index(index):
    """Return an ImageIndex as bytes."""
    arrays = [*index.parts, array('B', index.runs), index.sums]
    pieces = [b''.join(segment(*kept) for kept in index.header.kept),
              index.colours.encode(), index.uncut.encode(), *map(_big_endian, arrays)]
    body = b''.join(pieces[:3]) + zlib.compress(b''.join(pieces[3:]), 1)
    sizes = [*map(len, pieces[:3]), len(index.parts.tiles), len(index.runs), len(index.sums)]
    return _HEAD.pack(_MAGIC, zlib.crc32(body), index.size, index.start, index.body, index.end,
                      *sizes) + body


def load_index(data):
    """Return the ImageIndex of these bytes; raises ValueError if they are none."""
    try:
        magic, check, *offsets, header, colours, uncut, parts, runs, sums = (
            _HEAD.unpack_from(data))
        body = data[_HEAD.size:]
        if magic != _MAGIC or zlib.crc32(body) != check:
            raise ValueError('no index of an image')
        texts = header + colours
        arrays = _arrays(zlib.decompress(body[texts + uncut:]), (*[parts] * 4, runs, sums))
        found, _ = segments(body[:header], 0, SOT)
        kept = tuple((marker, body[first:end]) for marker, first, end in found)
        return ImageIndex(*offsets, read_header(kept), body[header:texts].decode(),
                          body[texts:texts + uncut].decode(), TileParts(*arrays[:4]),
                          tuple(arrays[4]), arrays[5])
    except (struct.error, zlib.error, ChainError) as err:
        raise ValueError(f'no index of an image: {err}') from None


def _big_endian(numbers):
    """Return an array as bytes, most significant first."""
    if sys.byteorder == 'little':
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


def _arrays(data, counts):
    """Return the arrays of these numbers of items."""
    found, at = [], 0
    for code, count in zip(_CODES, counts, strict=True):
        numbers = array(code)
        end = at + count * numbers.itemsize
        numbers.frombytes(data[at:end])
        if sys.byteorder == 'little':
            numbers.byteswap()
        found.append(numbers)
        at = end
    return found
