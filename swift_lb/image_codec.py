"""JPEG 2000, PNG and raw pixels, by Pillow; the only file that imports it.

Images come from strangers. So the daemon decodes them in processes of their own, and all
headers are read before Pillow sees any of it.
"""
import io
import math
import re

import numpy as np
from PIL import Image, Jpeg2KImagePlugin, PngImagePlugin, UnidentifiedImageError  # noqa: F401

from swift_lb.chains import details
from swift_lb.chains.chain import COEFFICIENTS_TYPE, PNG, RAW, in_memory
from swift_lb.chains.jpeg2000.completed import in_boxes, side_by_side
from swift_lb.chains.jpeg2000.grid import MAX_TILES
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.lowered import lowered
from swift_lb.chains.jpeg2000.marked import marked
from swift_lb.chains.jpeg2000.place import grown, pixels_of, place_of
from swift_lb.chains.jpeg2000.works import undecodable
from swift_lb.errors import BAD_REQUEST, TOO_LARGE, ChainError

Image.MAX_IMAGE_PIXELS = None       # the limits below are tighter
Image.preinit()         # else the first image that is opened imports these plug-ins, or all of them
# Of 512x512 pixels with noise: 118 kB in 6 ms, and with the default level 6 of zlib 120 kB in 32 ms
# (test/bench/chains decoding).
PNG_OPTIONS = {'compress_level': 1, 'compress_type': 3}     # Z_RLE
MOST_PIXELS = 1 << 28       # of a file that is opened
RAW_MAGIC = {2: b'P5', 3: b'P6'}    # dimensions of an array: PGM or PPM
OWN_MEMORY = 10 << 20       # bytes, of OpenJPEG, for an image of any size
TILE, LEVELS = 256, 5               # of images that are encoded
KINDS = 'gray and RGB of 8 bits, with alpha or without, and gray of 16 bits'
NARROWED = re.compile('(LA|RGB[AXa]?|[RGBA]);16[BLN]')  # Pillow reads such samples as 8 bits


class ImageCodec:
    """Computes from cuts of JPEG 2000 images what the steps return that decode.

    `spent`, {kind: (seconds, pixels)}, is what the last call took, of the kinds decode, png, raw
    and coefficients; in its pixels each component counts.
    """

    def __init__(self, clock, memory=math.inf):
        """Take a monotonic clock, and the bytes of memory that decoding may need."""
        self._clock, self._memory, self.spent = clock, memory, {}

    def pixels(self, cut, task, form, limit):
        """Return (content type, file) of the pixels of a Task, in `form`, PNG or RAW.

        It decodes `limit` pixels at most. Raises ChainError with a sentence for the client.
        """
        began = self._clock()
        area = pixels_of(place_of(cut).image, task)
        array, count = decoded(cut, task.reduce, area, limit, self._memory)
        between = self._clock()
        result = encoded(array, form)
        self._note(form, began, between, count, array)
        return result

    def coefficients(self, cut, task, overview, limit):
        """Return (content type, message) of the coefficients for an overview; see details.py.

        The overview is the image after `overview` halvings; the rest is as for pixels().
        """
        began, image = self._clock(), place_of(cut).image
        wanted = pixels_of(image, task)
        area = grown(wanted, image, task, overview)
        array, fine = decoded(cut, task.reduce, area, limit, self._memory)
        known, coarse = decoded(cut, overview, area.halved(overview - task.reduce), limit,
                                self._memory)
        between = self._clock()
        message = details.pack(array, known, task.reduce, overview, area, wanted)
        self._note('coefficients', began, between, fine + coarse, array)
        return COEFFICIENTS_TYPE, message

    def _note(self, kind, began, between, count, array):
        self.spent = {'decode': (between - began, count),
                      kind: (self._clock() - between, array.size)}


def decoded(cut, halvings, area, limit, memory=math.inf):
    """Return (array, pixels that were decoded, each component counted) of an area of a cut.

    `area` is a Rectangle on the canvas, after `halvings` of the image's resolution. The array has
    the shape (height, width) or (height, width, components). Raises ChainError if more than
    `limit` pixels would be decoded, if that needs more than `memory` bytes, or if the cut can not
    be decoded exactly.
    """
    place = place_of(cut)
    header = in_memory(read_index(len(cut), len(cut)), cut).header
    times, components = halvings - place.reduced, header.grid.components
    why = undecodable(components)
    if why:
        raise ChainError(why)
    if not 0 <= times <= header.coding.levels:
        raise ChainError('the cut does not have this resolution', BAD_REQUEST)
    whole = place.area.halved(times)
    if whole.area > limit:
        raise ChainError(f'{whole.right - whole.left} x {whole.bottom - whole.top} pixels would be '
                         f'decoded, and the limit is {limit}', TOO_LARGE)
    if not (whole.left <= area.left and whole.top <= area.top and whole.right >= area.right
            and whole.bottom >= area.bottom):
        raise ChainError('the cut does not have all of the pixels', BAD_REQUEST)
    needed = memory_of(header.grid, times, area) + len(cut)
    if needed > memory:
        raise ChainError(f'decoding needs about {needed >> 20} MiB of memory, and the limit is '
                         f'{memory >> 20} MiB', TOO_LARGE)
    return _assembled(lowered(cut, times), area, components)


def memory_of(grid, times, area):
    """Return about how many bytes it takes to decode all of a TileGrid, and to return an area.

    OpenJPEG has 4 bytes for each component of a tile's pixels, and Pillow its own ones; Pillow has
    4 bytes for each pixel of more than one component.
    """
    components, depth = len(grid.components), grid.components[0][0] + 7 >> 3
    width, height = (min(side, end - begin) for side, begin, end in zip(
        grid.tile, grid.image[:2], grid.image[2:], strict=True))
    tile = (width >> times) * (height >> times) * components * (4 + depth)
    image = grid.image.halved(times).area * (depth if components == 1 else 4)
    return tile + image + 2 * area.area * components * depth + OWN_MEMORY


def _assembled(pieces, area, components):
    """Return what decoded() does, by codestreams with parts of the area."""
    shape = area.bottom - area.top, area.right - area.left, len(components)
    dtype = np.uint8 if components[0][0] <= 8 else np.uint16
    array, count = np.empty(shape[:2] if shape[2] == 1 else shape, dtype), 0
    for piece, codestream, reduce in pieces:
        left, top = max(piece.left, area.left), max(piece.top, area.top)
        right, bottom = min(piece.right, area.right), min(piece.bottom, area.bottom)
        if left < right and top < bottom:
            image = _loaded(codestream, (piece.right - piece.left, piece.bottom - piece.top),
                            reduce)
            box = left - piece.left, top - piece.top, right - piece.left, bottom - piece.top
            array[top - area.top:bottom - area.top, left - area.left:right - area.left] = (
                np.asarray(image.crop(box)))
            count += piece.area
    return array, count * len(components)


def _loaded(codestream, size, reduce):
    """Return Pillow's image of a codestream, decoded after `reduce` halvings to this size."""
    try:
        image = Image.open(io.BytesIO(codestream), formats=('JPEG2000',))
        # Pillow rounds the size of a reduced image in another way than JPEG 2000 does.
        image._size = size
        image.tile = [('jpeg2k', (0, 0, *size), 0, ('j2k', reduce, 0, -1, len(codestream)))]
        image.load()
        return image
    except MemoryError:
        raise
    except Exception as err:        # of many kinds, for what is no JPEG 2000
        raise ChainError(f'the image can not be decoded: {err}') from None


def encoded(array, form):
    """Return (content type, bytes) of an array of pixels in `form`, PNG or RAW."""
    if form == PNG:
        file = io.BytesIO()
        Image.fromarray(array).save(file, 'PNG', **PNG_OPTIONS)
        return 'image/png', file.getvalue()
    if form != RAW:
        raise ChainError(f'{form!r} is not a form of pixels', BAD_REQUEST)
    if array.ndim == 3 and array.shape[2] != 3:
        raise ChainError('raw pixels are gray or RGB, without alpha')
    height, width = array.shape[:2]
    largest = 255 if array.dtype == np.uint8 else 65535
    head = b'%s\n%d %d\n%d\n' % (RAW_MAGIC[array.ndim], width, height, largest)
    kind = 'graymap' if array.ndim == 2 else 'pixmap'
    return f'image/x-portable-{kind}', head + array.astype(array.dtype.newbyteorder('>')).tobytes()


def opened(file, limit=MOST_PIXELS):
    """Return the array of pixels of an image file, bytes, of any format that Pillow reads.

    Of several images in the file it is the first one. Raises ChainError if it is none, has more
    than `limit` pixels, or pixels that are not kept exactly as JPEG 2000.
    """
    try:
        image = Image.open(io.BytesIO(file))
        if is_narrowed(image):
            raise ChainError(f'several components of 16 bits can not be kept: only {KINDS}')
        if image.width * image.height > limit:
            raise ChainError(f'the image has {image.width} x {image.height} pixels, and the limit '
                             f'is {limit}')
        image.load()
    except (ChainError, MemoryError):
        raise
    except UnidentifiedImageError:      # its text has an address in memory
        raise ChainError('the file can not be read as an image: its format is unknown') from None
    except Exception as err:        # of many kinds, for damaged files
        raise ChainError(f'the file can not be read as an image: {err}') from None
    if image.mode in ('I', 'I;16B'):        # a PGM, or a PNG in older versions of Pillow
        wide = np.asarray(image)
        if wide.min() < 0 or wide.max() > 65535:
            raise ChainError('pixels of more than 16 bits can not be kept')
        return wide.astype(np.uint16)
    alpha = image.mode == 'PA' or 'transparency' in image.info
    if image.mode in ('1', 'P', 'PA') or (alpha and image.mode in ('L', 'RGB')):
        image = image.convert(('L' if image.mode in ('1', 'L') else 'RGB') + 'A' * alpha)
    if image.mode not in ('L', 'I;16', 'LA', 'RGB', 'RGBA'):
        raise ChainError(f'pixels of the kind {image.mode} can not be kept: only {KINDS}')
    return np.asarray(image)


def is_narrowed(image):
    """Return whether Pillow will load only 8 bits of samples that have more, without an error."""
    for decoder, _extents, _offset, args in image.tile:
        kind, *more = args if isinstance(args, tuple) else (args,)
        if NARROWED.match(str(kind)) or (
                decoder.startswith('ppm') and kind == 'RGB' and more and more[0] > 255):
            return True
    return False


def count_of(file):
    """Return the number of images in an image file, bytes; 1 if Pillow can not tell."""
    try:
        return getattr(Image.open(io.BytesIO(file)), 'n_frames', 1)
    except Exception:       # of many kinds, for images that are damaged, or of unknown formats
        return 1


def tiled(array, tile=TILE):
    """Return an array of pixels as a lossless JPEG 2000 file (JP2) of which parts can be cut.

    It has tiles of `tile` x `tile` pixels and the lengths of tile-parts and packets; packets of
    lower resolutions come first. Raises ChainError if there would be too many tiles.
    """
    height, width = array.shape[:2]
    tile = min(tile, max(height, width))        # OpenJPEG refuses much larger ones
    count = -(-height // tile) * -(-width // tile)
    if count > MAX_TILES:       # OpenJPEG would write damaged files, or crash
        raise ChainError(f'{width} x {height} pixels have {count} tiles of {tile} x {tile}, and '
                         f'{MAX_TILES} are the limit')
    components = 1 if array.ndim == 2 else array.shape[2]
    levels = min(LEVELS, max(0, min(width, height, tile).bit_length() - 1))
    options = {'num_resolutions': levels + 1, 'mct': int(components >= 3)}
    if array.dtype == np.uint8:
        codestream = _codestream(array, tile, 0, options)
    else:       # of 16 bits, Pillow 13 takes all columns of tiles but the first from wrong places
        codestream = side_by_side([_codestream(array[:, x:x + tile], tile, x, options)
                                   for x in range(0, width, tile)], width)
    return in_boxes(marked(codestream), width, height, components, 8 * array.dtype.itemsize)


def _codestream(array, tile, x, options):
    """Return the codestream of an array whose first column has the coordinate `x`."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(
        file, 'JPEG2000', no_jp2=True, irreversible=False, progression='RPCL', plt=True,
        tile_size=(tile, tile), offset=(x, 0), tile_offset=(x, 0), **options)
    return file.getvalue()
