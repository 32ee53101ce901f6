"""Images as other encoders write them: several tile-parts, TLM, offsets on the canvas."""
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from support.jpeg2000 import (
    cut_of,
    decoded,
    encoded,
    index_of,
    noise,
    pixels_in,
    pixels_of_whole,
)
from support.jpeg2000_layout import laid_out

from swift_lb.chains.chain import Region, Task
from swift_lb.chains.jpeg2000 import CHAIN, walk
from swift_lb.chains.jpeg2000.cut import plan_cut
from swift_lb.chains.jpeg2000.marked import marked

LAYOUTS = [{}, {'parts': 3}, {'parts': 3, 'tlm': True}, {'tlm': True}, {'endless': True},
           {'parts': 2, 'plt': False}, {'tlm': True, 'plt': False}, {'components': True}]


@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('progression', ['RPCL', 'LRCP', 'CPRL'])
def test_pixels_do_not_depend_on_the_layout(layout, progression):
    coding = {'progression': progression, 'tile_size': (128, 128), 'quality_layers': [20, 6, 0]}
    plain = encoded(noise('RGB', 400, 300), **coding)
    data = laid_out(plain, **layout)
    for file in (data, marked(data)):
        assert decoded(file).tobytes() == decoded(plain).tobytes()
        for reduce in range(3):
            task = Task(Region(130, 140, 150, 100), reduce)
            assert plan_cut(index_of(file), task).reduced == (reduce if 'plt' not in layout else 0)
            found = pixels_in(cut_of(file, task), task)
            assert found.tobytes() == pixels_of_whole(plain, task).tobytes()


@given(st.tuples(*[st.integers(0, 63)] * 2), st.sampled_from([0, 64]), st.booleans(),
       st.sampled_from(['RPCL', 'PCRL', 'LRCP']),
       st.sampled_from([{}, {'precinct_size': (64, 32)}]),
       st.builds(Region, *[st.integers(0, 80)] * 2, *[st.integers(1, 99)] * 2), st.integers(0, 3))
@settings(max_examples=80)
def test_images_may_be_anywhere_on_the_canvas(corner, first, plt, progression, precincts, region,
                                              reduce):
    """The same picture, in an image from the canvas' corner, has the same tiles but on the left."""
    image, (x, y) = noise('L', 200, 150), (at + first for at in corner)
    coding = {'tile_size': (64, 64), 'num_resolutions': 4} | precincts
    data = encoded(image, offset=(x, y), tile_offset=(first, first), plt=plt,
                   progression=progression, **coding)
    larger = Image.new('L', (x + 200, y + 150))
    larger.paste(image, (x, y))
    inner = region._replace(x=region.x + -x % 64, y=region.y + -y % 64)
    task = Task(inner, reduce)
    if reduce and plan_cut(index_of(data), task).whole:
        assert progression == 'PCRL'        # Pillow cannot reduce the whole of it
        task = Task(inner, 0)
    wanted = pixels_of_whole(encoded(larger, **coding), Task(
        inner._replace(x=inner.x + x, y=inner.y + y), task.reduce))
    assert pixels_in(cut_of(data, task), task).tobytes() == wanted.tobytes()


def test_tile_parts_without_an_index_are_looked_for_up_to_a_limit(monkeypatch):
    data = encoded(noise('I;16', 700, 700), plt=False)      # parts of 128 kB, each is a read
    monkeypatch.setattr(walk, 'MAX_READS', 5)
    index = index_of(data)
    works, why = CHAIN.works(index, Task(Region(0, 0, 9, 9), 1))
    assert 'too many to look for; "swift-lb image put" adds it' in why['D2']
    assert [work.point for work in works] == ['D1', 'D4', 'D4']
    task = Task(Region(300, 300, 50, 50), 1)
    assert pixels_in(cut_of(data, task), task).tobytes() == pixels_of_whole(data, task).tobytes()
    assert len(index_of(marked(data)).parts.tiles) == 9


@pytest.mark.parametrize('tlm', [False, True])
def test_lengths_of_packets_are_read_up_to_a_limit(monkeypatch, tlm):
    data = laid_out(encoded(noise('L', 600, 600)), tlm=tlm)
    assert index_of(data).sums
    monkeypatch.setattr(walk, '_MAX_ALL_HEADS', 100)
    assert not index_of(data).sums
    task = Task(Region(300, 300, 50, 50), 1)
    assert pixels_in(cut_of(data, task), task).tobytes() == pixels_of_whole(data, task).tobytes()
