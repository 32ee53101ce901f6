"""JPEG 2000, PNG and raw pixels, by Pillow; the only file that imports it.

What it decodes comes from strangers, so it runs in processes of their own, and reads the sizes in
the codestream's header before Pillow sees any of it.
"""
import io

import numpy as np
from PIL import Image, ImageFile

from swift_lb.chains.canvas import canvas_of
from swift_lb.chains.chain import PNG, RAW
from swift_lb.errors import ChainError

Image.MAX_IMAGE_PIXELS = None       # the limits below are tighter
COMPRESS_LEVEL = 1
RAW_MAGIC = {2: b'P5', 3: b'P6'}    # dimensions of an array: PGM or PPM


def decoded(cut, halvings, limit):
    """Return (array, Canvas) of a codestream, decoded after `halvings` of the image's resolution.

    The array has the shape (height, width) or (height, width, components). Raises ChainError if it
    would have more than `limit` pixels, or can not be decoded exactly.
    """
    whole = canvas_of(cut)
    reduce = halvings - whole.halvings
    canvas = whole.reduced(reduce)
    if canvas.pixels > limit:
        raise ChainError(f'{canvas.width} x {canvas.height} pixels would be decoded, and the limit '
                         f'is {limit}')
    return _pixels(cut, canvas, reduce), canvas


def _pixels(cut, canvas, reduce):
    try:
        image = Image.open(io.BytesIO(cut), formats=('JPEG2000',))
        # Pillow rounds the size of a reduced image in another way than JPEG 2000 does.
        image._size = canvas.width, canvas.height
        image.tile = [ImageFile._Tile('jpeg2k', (0, 0, *image.size), 0,
                                      ('j2k', reduce, 0, -1, len(cut)))]
        image.load()
    except MemoryError:
        raise
    except Exception as err:        # of many kinds, for what is no JPEG 2000
        raise ChainError(f'the image can not be decoded: {err}') from None
    return np.asarray(image)


def encoded(array, form):
    """Return (content type, bytes) of an array of pixels in `form`, PNG or RAW."""
    if form == PNG:
        file = io.BytesIO()
        Image.fromarray(array).save(file, 'PNG', compress_level=COMPRESS_LEVEL)
        return 'image/png', file.getvalue()
    if form != RAW:
        raise ChainError(f'{form} is not a form of pixels', '400 Bad Request')
    if array.ndim == 3 and array.shape[2] != 3:
        raise ChainError('raw pixels are gray or RGB, without alpha')
    height, width = array.shape[:2]
    largest = 255 if array.dtype == np.uint8 else 65535
    head = b'%s\n%d %d\n%d\n' % (RAW_MAGIC[array.ndim], width, height, largest)
    kind = 'graymap' if array.ndim == 2 else 'pixmap'
    return f'image/x-portable-{kind}', head + array.astype(array.dtype.newbyteorder('>')).tobytes()


class ImageCodec:
    """Computes the results of a chain's steps; `spent` is what the last call took.

    `spent` is {kind: (seconds, pixels)}; the kinds are decode, png, raw and coefficients.
    """

    def __init__(self, clock):
        self._clock, self.spent = clock, {}

    def pixels(self, cut, task, form, limit):
        """Return (content type, file) of the pixels of a Task, as Chain.pixels does."""
        began = self._clock()
        array, canvas = decoded(cut, task.reduce, limit)
        wanted = array[canvas.slices(canvas.area(task))]
        between = self._clock()
        result = encoded(wanted, form)
        self.spent = {'decode': (between - began, canvas.pixels),
                      form: (self._clock() - between, wanted.shape[0] * wanted.shape[1])}
        return result
