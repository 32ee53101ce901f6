"""The sizes that works() estimates, beside those of files."""
import random

import pytest
from PIL import Image, ImageFilter
from support.jpeg2000 import cut_of, encoded, index_of, noise

from swift_lb.chains.chain import D3, D4, PNG, Region, Task
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.image_codec import ImageCodec

LIMIT = 1 << 24


def soft(radius):
    """Return noise that has been blurred."""
    data = random.Random(0).randbytes(1024 * 768)
    return Image.frombytes('L', (1024, 768), data).filter(ImageFilter.GaussianBlur(radius))


@pytest.mark.parametrize('image', [noise('RGB', 1024, 768), soft(2), soft(1), soft(0.6)],
                         ids=['smooth', 'softer', 'soft', 'rough'])
@pytest.mark.parametrize('plt', [False, True])
@pytest.mark.parametrize('reduce', [0, 1, 2])
def test_estimates_are_within_a_factor_of_two(image, plt, reduce):
    data, task = encoded(image, plt=plt), Task(Region(300, 100, 500, 400), reduce)
    works, _ = CHAIN.works(index_of(data), task, 4)
    estimates = {work.form or work.point: work.size for work in works}
    cut, codec = cut_of(data, task, 4), ImageCodec(float)
    png = len(codec.pixels(cut, task, PNG, LIMIT)[1])
    details = len(codec.coefficients(cut, task, 4, LIMIT)[1])
    assert png / 2 < estimates[PNG] < 2 * png
    assert details / 2 < estimates[D3] < 2 * details


@pytest.mark.parametrize('mode', ['L', 'RGB'])
@pytest.mark.parametrize('reduce', [0, 2])
def test_the_pixels_of_a_cut_are_those_of_the_work(mode, reduce):
    data, task = encoded(noise(mode, 600, 500)), Task(Region(100, 50, 300, 280), reduce)
    work = next(one for one in CHAIN.works(index_of(data), task)[0] if one.point == D4)
    decoded, result, components = CHAIN.pixels(cut_of(data, task), task)
    assert (work.server_pixels, work.pixels) == (components * decoded, components * result)
