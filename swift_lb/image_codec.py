"""JPEG 2000, PNG and raw pixels, by Pillow; the only file that imports it.

What is decoded comes from strangers, so the daemon does it in processes of their own, and the sizes
in the codestream's header are read before Pillow sees any of it.
"""
import io

import numpy as np
from PIL import Image

from swift_lb.chains import details
from swift_lb.chains.canvas import canvas_of
from swift_lb.chains.chain import PNG, RAW
from swift_lb.chains.jpeg2000.lowered import lowered
from swift_lb.errors import ChainError

Image.MAX_IMAGE_PIXELS = None       # the limits below are tighter
# Of 512x512 pixels with noise: 100 kB in 5.7 ms. zlib's default level 6 makes 105 kB in 41 ms.
PNG_OPTIONS = {'compress_level': 1, 'compress_type': 3}     # Z_RLE
RAW_MAGIC = {2: b'P5', 3: b'P6'}    # dimensions of an array: PGM or PPM


def decoded(cut, halvings, limit):
    """Return (Pillow's image, Canvas) of a codestream, after `halvings` of the image's resolution.

    Raises ChainError if it would have more than `limit` pixels, or can not be decoded exactly.
    """
    whole = canvas_of(cut)
    canvas = whole.reduced(halvings - whole.halvings)
    if canvas.pixels > limit:
        raise ChainError(f'{canvas.width} x {canvas.height} pixels would be decoded, and the limit '
                         f'is {limit}')
    pieces = [(area, _loaded(data, area.right - area.left, area.bottom - area.top, reduce))
              for area, data, reduce in lowered(cut, halvings - whole.halvings)]
    if len(pieces) == 1:
        return pieces[0][1], canvas
    image = Image.new(pieces[0][1].mode, (canvas.width, canvas.height))
    for area, piece in pieces:
        image.paste(piece, (area.left - canvas.left, area.top - canvas.top))
    return image, canvas


def _loaded(cut, width, height, reduce):
    try:
        image = Image.open(io.BytesIO(cut), formats=('JPEG2000',))
        # Pillow rounds the size of a reduced image in another way than JPEG 2000 does.
        image._size = width, height
        image.tile = [('jpeg2k', (0, 0, width, height), 0, ('j2k', reduce, 0, -1, len(cut)))]
        image.load()
        return image
    except MemoryError:
        raise
    except Exception as err:        # of many kinds, for what is no JPEG 2000
        raise ChainError(f'the image can not be decoded: {err}') from None


def pixels_of(image, canvas, area):
    """Return the array of an area, (left, top, right, bottom), of a decoded image.

    It has the shape (height, width) or (height, width, components).
    """
    left, top, right, bottom = area
    x, y = canvas.left, canvas.top
    return np.asarray(image.crop((left - x, top - y, right - x, bottom - y)))


def encoded(array, form):
    """Return (content type, bytes) of an array of pixels in `form`, PNG or RAW."""
    if form == PNG:
        file = io.BytesIO()
        Image.fromarray(array).save(file, 'PNG', **PNG_OPTIONS)
        return 'image/png', file.getvalue()
    if form != RAW:
        raise ChainError(f'{form!r} is not a form of pixels', '400 Bad Request')
    if array.ndim == 3 and array.shape[2] != 3:
        raise ChainError('raw pixels are gray or RGB, without alpha')
    height, width = array.shape[:2]
    largest = 255 if array.dtype == np.uint8 else 65535
    head = b'%s\n%d %d\n%d\n' % (RAW_MAGIC[array.ndim], width, height, largest)
    kind = 'graymap' if array.ndim == 2 else 'pixmap'
    return f'image/x-portable-{kind}', head + array.astype(array.dtype.newbyteorder('>')).tobytes()


class ImageCodec:
    """Computes what the steps of the chain jpeg2000 return that decode.

    `spent`, {kind: (seconds, pixels)}, is what the last call took, of the kinds decode, png, raw
    and coefficients.
    """

    def __init__(self, clock):
        self._clock, self.spent = clock, {}

    def pixels(self, cut, task, form, limit):
        """Return (content type, file) of the pixels of a Task, as Chain.pixels does."""
        began = self._clock()
        image, canvas = decoded(cut, task.reduce, limit)
        between = self._clock()
        array = pixels_of(image, canvas, canvas.area(task))
        result = encoded(array, form)
        self._note(form, began, between, canvas.pixels, array)
        return result

    def coefficients(self, cut, task, overview, limit):
        """Return (content type, message) of the coefficients, as Chain.coefficients does."""
        began = self._clock()
        image, canvas = decoded(cut, task.reduce, limit)
        coarse, coarse_canvas = decoded(cut, overview, limit)
        between = self._clock()
        wanted, levels = canvas.area(task), overview - task.reduce
        area = details.grown(wanted, levels, canvas[:4])
        array = pixels_of(image, canvas, area)
        known = pixels_of(coarse, coarse_canvas, details.overview_area(area, levels))
        message = details.pack(array, known, task.reduce, overview, area, wanted)
        self._note('coefficients', began, between, canvas.pixels + coarse_canvas.pixels, array)
        return details.TYPE, message

    def _note(self, kind, began, between, pixels, array):
        self.spent = {'decode': (between - began, pixels),
                      kind: (self._clock() - between, array.shape[0] * array.shape[1])}
