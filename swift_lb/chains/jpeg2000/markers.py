"""The markers of JPEG 2000 codestreams, and the marker segments of a header. Pure.

ITU-T T.800 (ISO/IEC 15444-1), annex A, has the names. A marker is two bytes; all markers in headers
but SOC and SOD begin a segment: the marker, two bytes with the length of what follows the marker,
and the content.
"""
from struct import Struct

from swift_lb.errors import ChainError

SOC, CAP, SIZ, COD, COC = 0xff4f, 0xff50, 0xff51, 0xff52, 0xff53
TLM, PLM, PLT, QCD, QCC, RGN, POC, PPM = (
    0xff55, 0xff57, 0xff58, 0xff5c, 0xff5d, 0xff5e, 0xff5f, 0xff60)
PPT, COM, SOT, SOD, EOC = 0xff61, 0xff64, 0xff90, 0xff93, 0xffd9
MAX_SEGMENTS = 16384                    # of one header: COC, QCC and RGN for each component
TWO, TWICE = Struct('>H'), Struct('>HH')
SOT_SEGMENT = Struct('>HHHIBB')         # SOT, 10, tile, bytes of the tile-part, part, parts


def segments(data, at, end):
    """Return ([(marker, start, end), ...], where `end` is) for the header at data[at:].

    `end` is the marker that ends the header. The start and end of a segment are of its content. If
    `data` stops before the marker `end`, None is returned instead of its position.
    """
    found = []
    while at + 2 <= len(data):
        marker, = TWO.unpack_from(data, at)
        if marker == end:
            return found, at
        if at + 4 > len(data):
            break
        size, = TWO.unpack_from(data, at + 2)
        if not 0xff30 < marker < 0xff90 or size < 2 or len(found) == MAX_SEGMENTS:
            raise ChainError('the image has a damaged header')
        found.append((marker, at + 4, at + 2 + size))
        at += 2 + size
    return found, None


def segment(marker, content):
    """Return a marker segment."""
    return TWICE.pack(marker, len(content) + 2) + content
