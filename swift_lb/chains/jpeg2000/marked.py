"""An image with an index of itself in its main header: TLM and PLM. Pure.

With TLM, the tile-parts of an image need not be looked for, and with PLM the lengths of its packets
are known too: its index is one read. PLM replaces the PLT segments of tile-parts. Where it cannot
have all lengths, since it has one byte for the number of bytes of one tile-part, PLT is kept.
"""
from operator import add
from struct import Struct

from swift_lb.chains.chain import in_memory
from swift_lb.chains.jpeg2000.boxes import CODESTREAM, LONG_BOX
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.lengths import decode
from swift_lb.chains.jpeg2000.main_header import split_header
from swift_lb.chains.jpeg2000.markers import (
    PLM,
    PLT,
    SOC,
    SOD,
    SOT_SEGMENT,
    TLM,
    TWO,
    segment,
    segments,
)
from swift_lb.chains.jpeg2000.tile_parts import read_head
from swift_lb.errors import ChainError

_ENTRY, _WIDE = Struct('>HI'), 0x60         # of TLM: tile and length, of 16 and 32 bits
_ENTRIES, _ROOM, _MOST = 10000, 65000, 256  # of one segment; segments of one kind
_BOX, _LONG = Struct('>I4s'), Struct('>I4sQ')


def marked(data):
    """Return an image, which is a codestream or a JP2 file, with TLM and, if possible, PLM.

    Raises ChainError if it is no image. All else in it, and its pixels, stay as they are.
    """
    index = in_memory(read_index(len(data), len(data)), data)
    if not index.parts.tiles:
        raise ChainError('the image has too many tile-parts')
    if index.sums and all(split_header(data, index.start, index.body)[1:]):
        return data                 # it has both
    parts = [_part(data, *part) for part in
             sorted(zip(index.parts.offsets, index.parts.lengths, index.parts.tiles, strict=True))]
    packed = _plm([lengths for _, _, _, lengths in parts])
    bodies = [whole if packed is None else bare for _, whole, bare, _ in parts]
    tlm = _tlm([(tile, len(body)) for (tile, *_), body in zip(parts, bodies, strict=True)])
    header = [TWO.pack(SOC), *(segment(*kept) for kept in index.header.kept), *tlm, *(packed or ())]
    end = max(map(add, index.parts.offsets, index.parts.lengths))
    return _boxed(data, index, b''.join([*header, *bodies, data[end:index.end]]))


def _part(data, offset, length, tile):
    """Return (tile, tile-part, tile-part without PLT, bytes of its lengths or None)."""
    head = read_head(memoryview(data)[:offset + length], offset)
    if head is None:
        raise ChainError('the image has a damaged tile-part')
    found, end = segments(data, offset + SOT_SEGMENT.size, SOD)
    marker, size, number, _, part, parts = SOT_SEGMENT.unpack_from(data, offset)
    others = b''.join(segment(kind, data[first:last]) for kind, first, last in found
                      if kind != PLT)
    rest = data[end:offset + length]
    bodies = []
    for kept in (data[offset + SOT_SEGMENT.size:end], others):
        whole = SOT_SEGMENT.size + len(kept) + len(rest)
        bodies.append(SOT_SEGMENT.pack(marker, size, number, whole, part, parts) + kept + rest)
    lengths = head.lengths if len(rest) > 2 else b''
    if lengths is not None and sum(decode(lengths) or ()) != len(rest) - 2:
        lengths = None
    return tile, *bodies, lengths


def _tlm(entries):
    """Return the TLM segments of [(tile, length), ...]."""
    return [segment(TLM, bytes((number, _WIDE)) + b''.join(
        _ENTRY.pack(*entry) for entry in entries[at:at + _ENTRIES]))
        for number, at in enumerate(range(0, len(entries), _ENTRIES))]


def _plm(parts):
    """Return the PLM segments of the lengths of all tile-parts, None if these cannot have them."""
    if any(lengths is None or len(lengths) > 255 for lengths in parts):
        return None
    contents = [b'']
    for lengths in parts:
        if len(contents[-1]) + 1 + len(lengths) > _ROOM:
            contents.append(b'')
        contents[-1] += bytes((len(lengths),)) + lengths
    if len(contents) > _MOST:
        return None
    return [segment(PLM, bytes((number,)) + content) for number, content in enumerate(contents)]


def _boxed(data, index, codestream):
    """Return a file with another codestream, in the same box if it is in one."""
    if not index.start:
        return codestream
    long = data[index.start - 4:index.start] != CODESTREAM
    begin = index.start - (_LONG.size if long else _BOX.size)
    length, = Struct('>I').unpack_from(data, begin)
    size = len(codestream) + index.start - begin
    if long or size >= 1 << 32:
        head = _LONG.pack(LONG_BOX, CODESTREAM, len(codestream) + _LONG.size)
    else:
        head = _BOX.pack(size if length else 0, CODESTREAM)
    return data[:begin] + head + codestream + data[index.end:]
