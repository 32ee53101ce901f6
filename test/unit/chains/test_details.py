"""Messages of coefficients: exact for all images and overviews, and refused if damaged."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.chains.details import HEAD, overview_area, pack, rebuild
from swift_lb.chains.wavelet import forward
from swift_lb.errors import ChainError

SMALL = st.integers(0, 9)


@st.composite
def cases(draw):
    """Draw (array, overview, levels, area, wanted), of pixels that have nothing in common."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    left, top, width, height = draw(SMALL), draw(SMALL), 1 + draw(SMALL) * 3, 1 + draw(SMALL) * 2
    area, levels = (left, top, left + width, top + height), draw(st.integers(1, 5))
    wanted = (left + draw(st.integers(0, width - 1)), top + draw(st.integers(0, height - 1)),
              left + width, top + height)
    x0, y0, x1, y1 = overview_area(area, levels)
    components, dtype = draw(st.integers(1, 4)), draw(st.sampled_from((np.uint8, np.uint16)))
    rest = (components,)[:components > 1]
    array, overview = (rng.integers(0, np.iinfo(dtype).max, (*shape, *rest), dtype, endpoint=True)
                       for shape in ((height, width), (y1 - y0, x1 - x0)))
    return array, overview, levels, area, wanted


@given(cases(), SMALL)
def test_any_pixels_come_back_exactly_with_any_overview(case, margin):
    array, overview, levels, area, wanted = case
    message = pack(array, overview, 2, 2 + levels, area, wanted)
    left, top = overview_area(area, levels)[:2]
    margins = [(min(margin, top), margin), (min(margin, left), margin)]
    wider = np.pad(overview, margins + [(0, 0)] * (overview.ndim - 2))
    found = rebuild(message, wider, (left - margins[1][0], top - margins[0][0]))
    assert found.dtype == array.dtype
    assert (found == array[wanted[1] - area[1]:, wanted[0] - area[0]:]).all()


@given(cases(), st.data())
def test_a_damaged_message_is_refused_with_a_sentence(case, data):
    array, overview, levels, area, wanted = case
    message = bytearray(pack(array, overview, 0, levels, area, wanted))
    at = data.draw(st.integers(0, len(message) - 1))
    if data.draw(st.booleans()):
        del message[at:]
    else:
        message[at] ^= data.draw(st.integers(1, 255))
    try:
        rebuild(bytes(message), overview, overview_area(area, levels)[:2])
    except ChainError:
        return
    else:       # only what was wanted has changed, or how many halvings there were
        assert at < HEAD.size


@pytest.mark.parametrize('corner', [(0, 0), (5, 1)])
def test_an_overview_that_does_not_cover_the_area_is_refused(corner):
    pixels = np.zeros((8, 8), np.uint8)
    message = pack(pixels, pixels[:4, :4], 0, 1, (8, 2, 16, 10), (8, 2, 16, 10))
    with pytest.raises(ChainError, match='the overview is not the one'):
        rebuild(message, np.zeros((5, 5), np.uint8), corner)


def test_what_the_overview_shows_already_takes_few_bytes():
    y, x = np.mgrid[:256, :256]
    plane = (128 + 50 * np.sin(x / 30) + 50 * np.cos(y / 20)).astype(np.uint8)
    coarse = forward(forward(plane.astype(int), 0, 0).low, 0, 0).low.astype(np.uint8)
    sizes = [len(pack(plane, overview, 0, 2, (0, 0, 256, 256), (0, 0, 256, 256)))
             for overview in (coarse, coarse[::-1])]
    assert sizes[0] < 0.9 * sizes[1]
