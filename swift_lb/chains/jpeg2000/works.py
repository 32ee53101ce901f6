"""What each point costs for a Task, as far as the index of an image tells. Pure.

Sizes of pixels are estimated from the bytes of the tiles: lossless PNG and detail coefficients of
an image are about as much longer than its JPEG 2000 as the factors below say. Of images between
smooth and noisy, they are within a factor of two, and test_works.py holds them to it.
"""
from swift_lb.chains.chain import D1, D2, D3, D4, PNG, RAW, Work
from swift_lb.chains.jpeg2000.cut import MANY, plan_cut, plan_of, tiles_of
from swift_lb.chains.jpeg2000.lowered import is_lowered_by_pillow, unlowered
from swift_lb.chains.jpeg2000.main_header import cut_header
from swift_lb.chains.jpeg2000.place import pixels_of
from swift_lb.chains.jpeg2000.tile_parts import LEAST

HALVED = 0.34           # bytes that are left after a halving, where packets have no known lengths
PNG_FACTOR, DETAILS_FACTOR = 1.1, 1.15
_RAW_HEAD = 20          # bytes before the pixels of a PGM or PPM file


def works_of(index, task, overview=None):
    """Return ([Work, ...], {point: why not}) of a Task, as Chain.works does."""
    grid = index.header.grid
    plan = plan_cut(index, task)
    area = pixels_of(grid.image, task)
    pixels, decoded = area.area, grid.area(plan.tiles).halved(task.reduce).area
    works = [Work(D1, '', index.size, 1, index.size, 0, decoded, pixels)]
    why, unshown = {}, index.colours or undecodable(grid.components)
    if plan.whole and not is_lowered_by_pillow(grid, plan.left):
        unshown = unshown or unlowered(index.header)
    uncut = index.colours or index.uncut or (plan.whole and (unlowered(index.header) or MANY))
    if uncut:
        why[D2] = why[D3] = uncut
    else:
        works.append(Work(D2, '', *_read(plan), float(cut_size(index, plan)), 0, decoded, pixels))
    if unshown:
        return counted(works, grid), why | dict.fromkeys((D3, D4), unshown)
    share = bytes_of(index, plan, task.reduce) * pixels / max(1, decoded)
    raw = pixels * sum(bits + 7 >> 3 for bits, *_ in grid.components) + _RAW_HEAD
    levels = index.header.coding.levels
    if overview is None or not task.reduce < overview <= levels:
        why.setdefault(D3, 'the client has no overview that is coarser')
    elif unlowered(index.header):
        why.setdefault(D3, unlowered(index.header))
    elif D3 not in why:
        works.append(_coefficients(index, task, overview, plan, pixels))
    works.append(Work(D4, PNG, *_read(plan), min(raw, share * PNG_FACTOR), decoded, 0, pixels))
    if len(grid.components) in (1, 3):
        works.append(Work(D4, RAW, *_read(plan), float(raw), decoded, 0, pixels))
    return counted(works, grid), why


def counted(works, grid):
    """Return Works in which each component of a pixel counts."""
    many = len(grid.components)
    return [work._replace(**{name: many * getattr(work, name) for name in (
        'server_pixels', 'client_pixels', 'pixels')}) for work in works]


def _coefficients(index, task, overview, plan, pixels):
    """Return the Work of D3; `plan` is the CutPlan of the others."""
    tiles = tiles_of(index, task, overview)
    if tiles != plan.tiles:
        plan = plan_of(index, task, tiles)
    area = index.header.grid.area(plan.tiles)
    decoded, coarse = area.halved(task.reduce).area, area.halved(overview).area
    size = bytes_of(index, plan, task.reduce) - bytes_of(index, plan, overview)
    return Work(D3, '', *_read(plan), size * pixels / max(1, decoded) * DETAILS_FACTOR,
                decoded + coarse, 0, pixels)


def _read(plan):
    """Return (bytes, ranges) that are read."""
    return sum(last - first + 1 for first, last in plan.ranges), len(plan.ranges)


def cut_size(index, plan):
    """Return the bytes of a cut."""
    head = len(cut_header(index.header, plan.tiles, plan.reduced, plan.comment(index))) + 2
    needed = sum(end - first for spans in plan.spans for first, end in spans)
    if plan.reduced:
        needed += sum(LEAST - spans[0][1] + spans[0][0] for spans in plan.spans)
    return head + needed


def bytes_of(index, plan, reduce):
    """Return the bytes of the packets of a CutPlan's tiles at `reduce`, estimated if need be."""
    if index.sums and not plan.whole:
        tiles, columns = plan.tiles, index.header.grid.columns
        return sum(sum(sums) for row in range(tiles.top, tiles.bottom)
                   for sums in index.columns_of(row * columns + tiles.left,
                                                row * columns + tiles.right, reduce))
    needed = sum(end - first for spans in plan.spans for first, end in spans)
    return needed * HALVED ** (reduce - plan.reduced)


def undecodable(components):
    """Return why pixels of these components are not sent, or ''."""
    bits, signed, *_ = components[0]
    if len(set(components)) > 1 or components[0][2:] != (1, 1) or signed:
        return 'components that are signed, subsampled or not alike are not decoded'
    if len(components) > 4 or bits > (16 if len(components) == 1 else 8):
        return f'{len(components)} components of {bits} bits are not decoded exactly'
    return ''
