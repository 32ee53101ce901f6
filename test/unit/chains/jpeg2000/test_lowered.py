"""Cuts are decoded at lower resolutions, which Pillow's `reduce` cannot do."""
import io

import numpy as np
import pytest
from PIL import Image
from support.jpeg2000 import cut_of, decoded, encoded, index_of, noise, pixels_of_whole

from swift_lb.chains.chain import D4, PNG, Region, Task
from swift_lb.chains.details import rebuild
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.lowered import lowered
from swift_lb.errors import ChainError
from swift_lb.image_codec import ImageCodec

CODINGS = [{'plt': plt, 'tile_size': tile} for plt in (False, True)
           for tile in ((128, 128), (100, 100))]


@pytest.mark.parametrize('coding', CODINGS)
def test_the_daemon_decodes_a_cut_at_any_resolution(coding):
    data = encoded(noise('RGB', 400, 300), **coding)
    for reduce in range(4):
        task = Task(Region(210, 130, 90, 120), reduce)
        _, file = ImageCodec(float).pixels(cut_of(data, task), task, PNG, 1 << 20)
        wanted = pixels_of_whole(data, task)
        assert Image.open(io.BytesIO(file)).tobytes() == wanted.tobytes()


@pytest.mark.parametrize('coding', CODINGS)
@pytest.mark.parametrize('overview', [1, 2, 4])
def test_coefficients_are_computed_from_a_cut(coding, overview):
    data = encoded(noise('L', 400, 300), **coding)
    for reduce in range(overview):
        task = Task(Region(130, 40, 120, 70), reduce)
        cut = cut_of(data, task, overview)
        _, message = ImageCodec(float).coefficients(cut, task, overview, 1 << 20)
        found = rebuild(message, np.asarray(decoded(data, overview)))
        assert (found == np.asarray(pixels_of_whole(data, task))).all()


NARROW = [     # image's columns, its coding, and that of the columns that have pixels when reduced
    (slice(0, 25), {'tile_size': (25, 32)}, {}),
    (slice(0, 25), {'tile_size': (25, 32), 'plt': False}, {}),
    (slice(2, 27), {'tile_size': (32, 32), 'offset': (30, 0), 'tile_offset': (0, 0)},
     {'offset': (32, 0), 'tile_offset': (32, 0)})]


@pytest.mark.parametrize(('columns', 'coding', 'rest'), NARROW)
def test_a_tile_may_have_no_pixel_at_a_lower_resolution(columns, coding, rest):
    picture = np.asarray(noise('L', 27, 70))
    data = encoded(Image.fromarray(picture), num_resolutions=3, **coding)
    wide = encoded(Image.fromarray(picture[:, columns]), num_resolutions=3, **coding | rest)
    task, codec, x = Task(None, 2), ImageCodec(float), rest.get('offset', (0,))[0]
    _, file = codec.pixels(cut_of(data, task), task, PNG, 1 << 20)
    _, wanted = codec.pixels(cut_of(wide, task), task, PNG, 1 << 20)
    assert file == wanted
    overview = np.asarray(Image.open(io.BytesIO(file)))
    _, message = codec.coefficients(cut_of(data, Task(), 2), Task(), 2, 1 << 20)
    assert (rebuild(message, overview, (-(-x >> 2), 0)) == picture).all()


def test_an_image_whose_tiles_have_no_pixels_when_reduced_needs_packets_in_order():
    index = index_of(encoded(noise('L', 27, 70), num_resolutions=3, tile_size=(25, 32),
                             progression='CPRL', plt=False))
    assert 'order of resolutions' in CHAIN.works(index, Task(None, 2))[1][D4]
    assert D4 not in CHAIN.works(index, Task(None, 1))[1]


def test_a_cut_whose_packets_are_in_another_order_is_refused():
    cut = cut_of(encoded(noise('L', 300, 300), progression='CPRL', plt=False),
                 Task(Region(280, 280, 9, 9)))
    with pytest.raises(ChainError, match='not in the order of resolutions'):
        lowered(cut, 1)
