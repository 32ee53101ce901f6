"""Images with TLM and PLM: the same pixels, and an index that is one read."""
import pytest
from support.jpeg2000 import (
    cut_of,
    decoded,
    encoded,
    index_of,
    noise,
    pixels_in,
    pixels_of_whole,
)

from swift_lb.chains.chain import Region, Task, in_memory
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.marked import marked

LAYERS = [float(rate) for rate in range(40, 8, -2)]


@pytest.mark.parametrize('no_jp2', [False, True])
@pytest.mark.parametrize(('coding', 'known'), [
    ({}, True), ({'plt': False}, False), ({'quality_layers': [9, 3, 0]}, True),
    ({'quality_layers': LAYERS}, True), ({'progression': 'LRCP'}, True)])
def test_a_marked_image_has_the_same_pixels(no_jp2, coding, known):
    data = encoded(noise('RGB', 400, 300), no_jp2=no_jp2, tile_size=(128, 128), **coding)
    found = marked(data + b'\0\0\0\x09free!' * (not no_jp2))
    assert decoded(found).tobytes() == decoded(data).tobytes()
    assert bool(index_of(found).sums) == known
    assert marked(found) == found
    for reduce in range(3):
        task = Task(Region(130, 140, 100, 100), reduce)
        assert (pixels_in(cut_of(found, task), task).tobytes()
                == pixels_of_whole(data, task).tobytes())


def test_the_index_of_a_marked_image_is_one_read():
    data = marked(encoded(noise('L', 2048, 2048), tile_size=(64, 64), plt=True))
    read = []

    class Data(bytes):
        def __getitem__(self, part):
            read.append(part.stop)
            return bytes.__getitem__(self, part)
    assert in_memory(CHAIN.index(len(data)), Data(data)).sums
    assert len(read) == 1
    assert read[0] <= 65536 < len(data)
