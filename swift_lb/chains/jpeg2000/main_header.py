"""The main header of a codestream, from SOC to its first tile-part. Pure."""
from typing import NamedTuple

from swift_lb.chains.jpeg2000.coding import (
    Coding,
    read_coding,
    read_component,
    reduced,
)
from swift_lb.chains.jpeg2000.grid import EXTENDED, TileGrid, cut_grid, read_grid
from swift_lb.chains.jpeg2000.markers import (
    COC,
    COD,
    COM,
    PLM,
    POC,
    PPM,
    QCD,
    SIZ,
    SOC,
    TLM,
    TWO,
    segment,
    segments,
)
from swift_lb.errors import ChainError

PLACE = b'\x00\x01swift-lb '        # content of the COM segment of a cut; see place.py


class MainHeader(NamedTuple):
    """What a cut needs of a main header."""

    grid: TileGrid
    coding: Coding
    kept: tuple             # (marker, content) of the segments that a cut has too
    uncut: str              # why no tile can be cut out, or ''
    unreduced: str          # why no resolution can be left out, or ''


def split_header(data, at, end):
    """Return (MainHeader, contents of TLM segments, of PLM segments) of data[at:end]."""
    found = [(marker, bytes(data[first:last])) for marker, first, last in
             segments(data[:end], at + 2, None)[0]]
    kept = tuple((marker, content) for marker, content in found
                 if marker not in (TLM, PLM) and not _is_place(marker, content))
    return (read_header(kept), [content for marker, content in found if marker == TLM],
            [content for marker, content in found if marker == PLM])


def read_header(kept):
    """Return the MainHeader of these (marker, content)."""
    content, markers = dict(kept), [marker for marker, _ in kept]
    if markers[:1] != [SIZ] or any(markers.count(once) != 1 for once in (SIZ, COD, QCD)):
        raise ChainError('the image has a damaged header')
    grid, coding = read_grid(content[SIZ]), read_coding(content[COD])
    uncut = ''
    if grid.columns * grid.rows == 1:
        uncut = 'the image is not tiled'
    elif PPM in content or grid.capabilities & EXTENDED:
        uncut = 'the image has packed packet headers or extensions of part 2'
    return MainHeader(grid, coding, tuple(kept), uncut, _unreduced(grid, coding, kept))


def _unreduced(grid, coding, kept):
    """Return why no resolution can be left out, or ''."""
    count = len(grid.components)
    if any(marker == POC for marker, _ in kept):
        return 'the order of the packets of the image changes'
    if any(marker == PPM for marker, _ in kept):
        return 'the image has packed packet headers'
    others = [read_component(content, count, coding) for marker, content in kept if marker == COC]
    if any((one.levels, one.precincts) != (coding.levels, coding.precincts) for one in others):
        return 'the components of the image have different resolutions'
    if any((dx, dy) != (1, 1) for _, _, dx, dy in grid.components):
        return 'the components of the image are subsampled'
    return ''


def cut_header(header, tiles, reduce, place):
    """Return the main header of a codestream of these tiles, without the `reduce` finest levels.

    `place` is the content of its COM segment.
    """
    count = len(header.grid.components)
    parts = [TWO.pack(SOC)]
    for marker, content in header.kept:
        if marker == SIZ:
            content = cut_grid(header.grid, tiles, reduce)
        elif reduce:
            content = reduced(marker, content, count, header.coding.levels, reduce)
        parts.append(segment(marker, content))
    return b''.join(parts) + segment(COM, place)


def _is_place(marker, content):
    """Return whether a segment tells the place of a cut."""
    return marker == COM and content.startswith(PLACE)
