"""Codestreams in forms that Pillow does not write: the same packets, laid out in other ways."""
from swift_lb.chains.chain import in_memory
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.lengths import decode
from swift_lb.chains.jpeg2000.marked import _tlm
from swift_lb.chains.jpeg2000.markers import (
    COC,
    COD,
    EOC,
    PLT,
    QCC,
    QCD,
    SOC,
    SOD,
    SOT,
    SOT_SEGMENT,
    TWO,
    segment,
)
from swift_lb.chains.jpeg2000.tile_parts import read_head


def laid_out(data, parts=1, tlm=False, plt=True, endless=False, components=False):
    """Return a codestream, whose tiles have one tile-part each, in another layout.

    Each tile gets `parts` tile-parts: the first ones of all tiles, then the second ones, and so on.
    `endless`: the last tile-part has the length 0. `components`: COC and QCC repeat COD and QCD for
    the second component.
    """
    index = in_memory(read_index(len(data), len(data)), data)
    tiles = [_packets(data, offset, length) for offset, length in
             zip(index.parts.offsets, index.parts.lengths, strict=True)]
    pieces = []
    for part in range(parts):
        for tile, packets in enumerate(tiles):
            share = [packets[at] for at in range(len(packets))
                     if at * parts // len(packets) == part]
            pieces.append((tile, _tile_part(tile, part, parts, share, plt)))
    header = [*index.header.kept]
    if components:
        content = dict(header)
        header += [(COC, b'\1' + content[COD][:1] + content[COD][5:]), (QCC, b'\1' + content[QCD])]
    marks = _tlm([(tile, len(piece)) for tile, piece in pieces]) if tlm else []
    if endless:
        tile, last = pieces[-1]
        pieces[-1] = tile, last[:6] + bytes(4) + last[10:]
    return b''.join([TWO.pack(SOC), *(segment(*kept) for kept in header), *marks,
                     *(piece for _, piece in pieces), TWO.pack(EOC)])


def _packets(data, offset, length):
    """Return [(encoded length, packet), ...] of the tile-part at an offset."""
    head = read_head(data, offset)
    at, found = offset + head.size, []
    for size in decode(head.lengths):
        found.append((_encoded(size), data[at:at + size]))
        at += size
    assert at == offset + length
    return found


def _encoded(size):
    """Return a packet's length as PLT has it."""
    groups = [size & 127]
    while size := size >> 7:
        groups.append(size & 127 | 128)
    return bytes(reversed(groups))


def _tile_part(tile, part, parts, packets, plt):
    """Return a tile-part with these packets."""
    marks = segment(PLT, b'\0' + b''.join(size for size, _ in packets)) if plt else b''
    body = marks + TWO.pack(SOD) + b''.join(packet for _, packet in packets)
    return SOT_SEGMENT.pack(SOT, 10, tile, len(body) + SOT_SEGMENT.size, part, parts) + body
