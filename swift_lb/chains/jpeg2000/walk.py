"""The tile-parts of a codestream, found by their own heads. Pure: generators that read.

An image without TLM in its main header is read from one tile-part to the next one, and so is one
whose lengths of packets are not in its main header but in tile-parts.
"""
from swift_lb.chains.jpeg2000.fetch import ByteWindow, fetched
from swift_lb.chains.jpeg2000.markers import EOC, SOT, SOT_SEGMENT, TWO
from swift_lb.chains.jpeg2000.tile_parts import LEAST, MAX_PARTS, read_head
from swift_lb.errors import ChainError

MAX_READS = 400
NO_TLM = ('the image has no index of its tile-parts (TLM), and too many to look for; '
          '"swift-lb image put" adds it')
_SMALL, _LARGE, _MAX_HEAD = 1024, 65536, 1 << 20     # bytes
_MAX_HEADS = 2000               # which are read by fifties
_MAX_ALL_HEADS = 1 << 22        # bytes: some million packets, whose lengths take half a second
_DAMAGED = 'the image has a damaged tile-part'


def walked(window, first, end):
    """Return [(tile, offset, length, head)], and their PartHeads: a generator.

    The heads stop at the first one that has no lengths of packets, or where all of them are too
    long. Returns (None, []) if the parts are too many to look for.
    """
    parts, heads, wanted, reads, at, seen, left = [], [], True, 0, first, {}, _MAX_ALL_HEADS
    while at < end:
        start, length = window.start, parts[-1][2] if parts else 0
        ahead = _SMALL if length > _LARGE // 2 else _LARGE
        if (yield from _is_end(window, at, end, ahead)):
            break
        tile, length, head = yield from _part(window, at, end, ahead, wanted, seen)
        parts.append((tile, at, length, head.size if head else 0))
        heads += [head] if head else []
        left -= head.size if head else 0
        wanted = head is not None and head.plain and head.lengths is not None and left > 0
        at += length
        reads += window.start != start
        if reads > MAX_READS or len(parts) > MAX_PARTS:
            return None, []
    return parts, heads


def _is_end(window, at, end, ahead):
    """Return whether EOC is at an offset: a generator."""
    place = yield from window.have(at, min(at + 2, end), ahead)
    return window.data[place:place + 2] == TWO.pack(EOC) or at + 2 > end


def _part(window, at, end, ahead, wanted, seen):
    """Return (tile, length, PartHead if `wanted`) of the tile-part at an offset: a generator.

    `seen` counts the parts of each tile.
    """
    place = yield from window.have(at, at + LEAST, ahead)
    marker, _, tile, length, number, _ = SOT_SEGMENT.unpack_from(window.data, place)
    if marker != SOT or number != seen.get(tile, 0):
        raise ChainError(_DAMAGED)
    seen[tile] = number + 1
    if not length:
        place = yield from window.have(end - 2, end)
        length = end - at - 2 * (window.data[place:place + 2] == TWO.pack(EOC))
    if length < LEAST or at + length > end:
        raise ChainError('the image is truncated, or has a damaged tile-part')
    head = (yield from _head(window, at, length)) if wanted else None
    return tile, length, head


def _head(window, at, length):
    """Return the PartHead of a tile-part, None if it is too long: a generator."""
    known = LEAST
    while known <= _MAX_HEAD:
        place = yield from window.have(at, at + min(known, length))
        head = read_head(memoryview(window.data)[:place + length], place)
        if head:
            return head
        if known >= length:
            raise ChainError(_DAMAGED)
        known = max(known, window.end - at) * 4
    return None


def heads_of(parts):
    """Return the PartHeads of [(tile, offset, length, 0)], [] if they are too long: a generator."""
    if len(parts) > _MAX_HEADS:
        return []
    blocks = yield from fetched([(at, at + min(length, _SMALL) - 1) for _, at, length, _ in parts])
    heads, left = [], _MAX_ALL_HEADS
    for block, (_, at, length, _) in zip(blocks, parts, strict=True):
        head = read_head(block, 0)
        if head is None:
            window = ByteWindow(at + length)
            head = yield from _head(window, at, length)
        left -= head.size if head else left
        if left <= 0:
            return []
        heads.append(head)
    return heads
