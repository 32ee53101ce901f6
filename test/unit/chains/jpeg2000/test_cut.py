"""Cuts: their pixels are those of the whole image, decoded and cropped."""
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

from swift_lb.chains.chain import Region, Task
from swift_lb.chains.jpeg2000.cut import plan_cut

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
