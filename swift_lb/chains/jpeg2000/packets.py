"""The order of the packets of a tile: which resolution each belongs to. Pure.

Packets of one resolution that follow each other are a run. All tiles of an image have the same
runs; how many packets these have depends on the tile's place. Where resolutions come first (RLCP,
RPCL), a run is a resolution, and the lower resolutions are the beginning of the tile.
"""
from swift_lb.chains.jpeg2000.coding import LRCP, RLCP, RPCL
from swift_lb.chains.jpeg2000.grid import halved

MAX_RUNS = 4096


def resolutions(coding, components):
    """Return the resolution of each run of a tile's packets; empty if they are too many."""
    every = range(coding.levels + 1)
    if coding.progression in (RLCP, RPCL):
        return tuple(every)
    times = coding.layers if coding.progression == LRCP else components
    return tuple(every) * times if times * len(every) <= MAX_RUNS else ()


def is_prefix(coding):
    """Return whether the lower resolutions are the beginning of each tile's packets."""
    return (coding.progression in (RLCP, RPCL)
            or (coding.progression == LRCP and coding.layers == 1))


def packet_counts(grid, coding, runs):
    """Return a function of the column and the row of a tile: the packets in each of its runs.

    `runs` is what resolutions() returned. The function returns None for a tile of which the order
    of the packets is not known: where positions come before resolutions, if there are several.
    """
    columns = [_precincts(coding, 0, grid, place) for place in range(grid.columns)]
    rows = [_precincts(coding, 1, grid, place) for place in range(grid.rows)]
    components = len(grid.components)
    if coding.progression in (RLCP, RPCL):
        times, positions_first = coding.layers * components, False
    elif coding.progression == LRCP:
        times, positions_first = components, False
    else:
        times, positions_first = coding.layers, True

    def counts(column, row):
        (across, single), (down, alone) = columns[column], rows[row]
        if positions_first and not (single and alone):
            return None
        found = [times * width * height for width, height in zip(across, down, strict=True)]
        return found * (len(runs) // len(found))
    return counts


def _precincts(coding, axis, grid, place):
    """Return (precincts of each resolution along an axis, whether each has one, at the corner)."""
    size, origin = grid.tile[axis], grid.origin[axis]
    begin = max(grid.image[axis], origin + place * size)
    end = min(grid.image[axis + 2], origin + (place + 1) * size)
    found, single = [], True
    for level, sizes in zip(range(coding.levels, -1, -1), coding.precincts, strict=True):
        power = sizes[axis]
        first, last = halved(begin, level), halved(end, level)
        found.append(halved(last, power) - (first >> power) if last > first else 0)
        # T.800, B.12.1.4: a precinct's position is a multiple of its size, or the tile's corner
        corner = not begin % (1 << power + level) or first % (1 << power)
        single &= bool(found[-1] == 1 and corner)
    return found, single
