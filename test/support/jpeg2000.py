"""Images as JPEG 2000 files, made and decoded by Pillow."""
import io
import random

from PIL import Image

from swift_lb.chains.chain import in_memory
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.boxes import SIGNATURE
from swift_lb.chains.jpeg2000.grid import halved
from swift_lb.chains.jpeg2000.lowered import lowered
from swift_lb.chains.jpeg2000.place import pixels_of, place_of

DEPTHS = {'L': 1, 'RGB': 3, 'RGBA': 4, 'LA': 2, 'I;16': 2}


def noise(mode, width, height, seed=0):
    """Return an image of smooth noise, whose bytes are spread over all resolutions."""
    rng = random.Random(seed)
    small = max(1, width // 8), max(1, height // 8)
    data = rng.randbytes(small[0] * small[1] * DEPTHS[mode])
    image = Image.frombytes(mode, small, data)
    if mode == 'I;16':
        return Image.frombytes(mode, (width, height), rng.randbytes(2 * width * height))
    return image.resize((width, height), Image.Resampling.BICUBIC)


def encoded(image, **options):
    """Return a lossless JPEG 2000 file; `options` are those of Pillow."""
    file = io.BytesIO()
    image.save(file, 'JPEG2000', **{
        'irreversible': False, 'tile_size': (256, 256), 'num_resolutions': 6,
        'progression': 'RPCL', 'plt': True, 'no_jp2': True} | options)
    return file.getvalue()


def decoded(data, reduce=0):
    """Return the image that a file decodes to, with the size that JPEG 2000 says it has."""
    image = Image.open(io.BytesIO(data))
    kind = 'jp2' if data.startswith(SIGNATURE) else 'j2k'
    image._size = tuple(halved(size, reduce) for size in image.size)    # Pillow rounds these
    image.tile = [('jpeg2k', (0, 0, *image.size), 0, (kind, reduce, 0, -1, len(data)))]
    image.load()
    return image


def index_of(data):
    """Return the ImageIndex of a file."""
    return in_memory(CHAIN.index(len(data)), data)


def cut_of(data, task, overview=None):
    """Return the cut of a file."""
    return in_memory(CHAIN.cut(index_of(data), task, overview), data)


def pixels_in(cut, task):
    """Return the image of a Task's pixels from a cut, decoded by Pillow."""
    place = place_of(cut)
    wanted = pixels_of(place.image, task)
    found = None
    for area, codestream, reduce in lowered(cut, task.reduce - place.reduced):
        piece = decoded(codestream, reduce)
        found = found or Image.new(piece.mode, (wanted.right - wanted.left,
                                                wanted.bottom - wanted.top))
        found.paste(piece, (area.left - wanted.left, area.top - wanted.top))
    return found


def pixels_of_whole(data, task, origin=(0, 0)):
    """Return the same pixels, cropped from the decoded file."""
    image = decoded(data, task.reduce)
    if task.region is None:
        return image
    corners = [-(-at >> task.reduce) for at in origin]
    x, y = (at + offset for at, offset in zip(task.region[:2], origin, strict=True))
    left, top = (max(0, (at >> task.reduce) - corner)
                 for at, corner in zip((x, y), corners, strict=True))
    right, bottom = (min(most, -(-(at + size) >> task.reduce) - corner) for at, size, corner, most
                     in zip((x, y), task.region[2:], corners, image.size, strict=True))
    return image.crop((left, top, right, bottom))
