"""Cuts: their pixels are those of the whole image, decoded and cropped."""
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.jpeg2000 import (
    cut_of,
    encoded,
    index_of,
    noise,
    pixels_in,
    pixels_of_whole,
)

from swift_lb.chains.chain import D1, PNG, RAW, Region, Task
from swift_lb.chains.jpeg2000 import CHAIN, cut
from swift_lb.chains.jpeg2000.cut import MANY, plan_cut, spans_of, tile_spans
from swift_lb.chains.jpeg2000.grid import Rectangle

PROGRESSIONS = 'LRCP', 'RLCP', 'RPCL', 'PCRL', 'CPRL'
IMAGES = st.fixed_dictionaries({
    'mode': st.sampled_from(('L', 'RGB', 'RGBA', 'I;16')),
    'width': st.integers(130, 300), 'height': st.integers(130, 300)})
CODINGS = st.fixed_dictionaries({
    'progression': st.sampled_from(PROGRESSIONS), 'plt': st.booleans(), 'no_jp2': st.booleans(),
    'tile_size': st.sampled_from(((64, 64), (128, 64), (100, 90))),
    'num_resolutions': st.integers(1, 4),
    'quality_layers': st.sampled_from(([0], [20, 5, 0])),
    'precinct_size': st.sampled_from((None, (64, 64), (32, 16))),
    'codeblock_size': st.sampled_from((None, (8, 32)))})
REGIONS = st.builds(Region, st.integers(0, 129), st.integers(0, 129),
                    st.integers(1, 200), st.integers(1, 200)) | st.none()


@given(IMAGES, CODINGS, REGIONS, st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_pixels_of_a_cut_are_those_of_the_whole_image(image, coding, region, reduce):
    data = encoded(noise(**image), **coding)
    task = Task(region, min(reduce, coding['num_resolutions'] - 1))
    found = pixels_in(cut_of(data, task), task)
    assert found.tobytes() == pixels_of_whole(data, task).tobytes()


@pytest.mark.parametrize('progression', PROGRESSIONS)
@pytest.mark.parametrize('reduce', [1, 2])
def test_packets_of_resolutions_that_are_not_needed_are_left_out(progression, reduce):
    data = encoded(noise('RGB', 600, 500), progression=progression)
    task = Task(Region(10, 10, 300, 300), reduce)
    plan = plan_cut(index_of(data), task)
    assert (plan.reduced, plan.left) == (reduce, 0)
    assert len(cut_of(data, task)) < len(cut_of(data, Task(task.region))) / 2


@pytest.mark.parametrize(('progression', 'reduced'), product(PROGRESSIONS, (0, 1, 2)))
def test_spans_of_many_tiles_are_those_of_each(progression, reduced):
    index, tiles = index_of(encoded(noise('L', 600, 500), progression=progression,
                                    tile_size=(64, 64))), Rectangle(1, 2, 7, 6)
    assert index.sums
    assert spans_of(index, tiles, reduced) == tuple(
        tile_spans(index, tile, reduced) for tile in tiles.numbers(index.header.grid.columns))


@pytest.mark.parametrize('reduce', [0, 2])
def test_of_a_part_with_too_many_tiles_the_whole_image_is_decoded(monkeypatch, reduce):
    data = encoded(noise('L', 300, 300), tile_size=(32, 32))
    task = Task(Region(5, 5, 99, 99), reduce)
    index, pieces = index_of(data), 7 * 4 * 4      # of each tile a part, and six resolutions
    for most, points in ((pieces, 5), (pieces - 1, 3)):
        monkeypatch.setattr(cut, 'MOST_PIECES', most)
        works, why = CHAIN.works(index, task, 3)
        assert len(works) == points
        assert pixels_in(cut_of(data, task), task).tobytes() == (
            pixels_of_whole(data, task).tobytes())
    assert [work.form or work.point for work in works] == [D1, PNG, RAW]
    assert why['D2'] == MANY
    assert works[1].ranges == 1
