"""The wavelet 5/3 against its formula, OpenJPEG's encoder, and its own inverse."""
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from swift_lb.chains.wavelet import (
    coarser,
    correlated,
    decorrelated,
    forward,
    inverse,
    shapes,
)

places = st.tuples(st.integers(0, 9), st.integers(0, 9))


@st.composite
def planes(draw, most=17):
    """Draw an array of any size from 1x1, of 16-bit pixels or of all 32-bit numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    shape, end = draw(st.tuples(*(st.integers(1, most),) * 2)), draw(st.sampled_from((16, 31)))
    return rng.integers(-(1 << end) if end == 31 else 0, 1 << end, shape).astype(np.int32)


def by_formula(row, start):
    """Return (low, high) of a list whose first coordinate is `start`, as in the standard."""
    if len(row) == 1:
        return ([], [2 * row[0]]) if start % 2 else (row, [])
    end, high = start + len(row) - 1, {}

    def x(at):
        at = abs(at - start)
        return row[at if at < len(row) else 2 * (end - start) - at]
    for n in range(start // 2 - 1, end // 2 + 1):
        high[n] = x(2 * n + 1) - (x(2 * n) + x(2 * n + 2)) // 2
    return ([x(2 * n) + (high[n - 1] + high[n] + 2) // 4
             for n in range(-(-start // 2), end // 2 + 1)],
            [high[n] for n in range(start // 2, (end + 1) // 2)])


@given(st.lists(st.integers(0, 255), min_size=1, max_size=20), st.integers(0, 5))
def test_each_row_is_transformed_by_the_formula(row, start):
    low, high = by_formula(row, start)
    bands = forward(np.array([row], np.int32), start, 0)
    assert ([*bands.low.ravel()], [*bands.high_low.ravel()]) == (low, high)
    turned = forward(np.array([row], np.int32).T, 0, start)
    assert ([*turned.low.ravel()], [*turned.low_high.ravel()]) == (low, high)


@given(planes(), places)
def test_the_inverse_is_exact_for_any_size_and_place(plane, corner):
    if abs(plane).max() < 1 << 29 or 1 not in plane.shape:     # a single number is doubled
        assert (inverse(forward(plane, *corner), *corner) == plane).all()


@given(st.integers(1, 40), st.integers(1, 40), places)
def test_shapes_and_areas_are_those_of_the_bands(width, height, corner):
    area = (*corner, corner[0] + width, corner[1] + height)
    bands = forward(np.zeros((height, width), np.int32), *corner)
    assert tuple(band.shape for band in bands) == tuple(shapes(*area))
    left, top, right, bottom = coarser(*area)
    assert bands.low.shape == (bottom - top, right - left)


@given(planes(), st.integers(1, 4))
def test_colours_come_back_exactly(plane, components):
    array = np.stack([plane + number for number in range(components)], axis=2)
    assert (correlated(decorrelated(array)) == array).all()


def test_the_low_band_is_what_openjpeg_decodes_at_half_the_resolution():
    y, x = np.mgrid[:61, :83]
    plane = (128 + 60 * np.sin(x / 7) + 50 * np.cos(y / 5 + x / 31)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(plane).save(file, 'JPEG2000', no_jp2=True, num_resolutions=3)
    image = Image.open(file)
    image.reduce = 1
    image.load()
    assert (np.asarray(image) == forward(plane.astype(np.int32), 0, 0).low).all()
