"""What `swift-lb image put | get | show` do: they write tiled images, and read parts of them."""
import json
import os
import sys

from swift_lb import image_codec
from swift_lb.chains.chain import D2, D4, Task, in_memory
from swift_lb.chains.jpeg2000 import CHAIN
from swift_lb.chains.jpeg2000.boxes import SIGNATURE
from swift_lb.chains.jpeg2000.marked import marked
from swift_lb.console import units
from swift_lb.console.image.asking import AwareClient
from swift_lb.console.image.picture import picture
from swift_lb.console.image.server import checked, from_environment
from swift_lb.errors import ChainError, ImageError

TYPES = {'.png': 'png', '.pgm': 'raw', '.ppm': 'raw'}
JP2, CODESTREAM = 'image/jp2', 'image/j2c'


def run(args):
    """Execute the sub-command of `swift-lb image`; return the exit status."""
    checked(args.name)
    return {'put': _put, 'get': _get, 'show': _show}[args.verb](args)


def _put(args):
    try:
        with open(args.file, 'rb') as file:
            data = file.read()
    except OSError as err:
        raise ImageError(f'{args.file}: {err.strerror}') from None
    try:
        stored = with_tiles(data, args.tile)
    except ChainError as err:
        raise ImageError(f'{args.file}: {err}') from None
    server, count = from_environment(), image_codec.count_of(data)
    server.put(server.address(args.name), stored,
               JP2 if stored.startswith(SIGNATURE) else CODESTREAM)
    width, height = in_memory(CHAIN.index(len(stored)), stored).header.grid.tile
    print(f'{args.name}: {len(stored):,} bytes, in tiles of {width} x {height} pixels'
          + (f'; the first of {count} images of {args.file}' if count > 1 else ''))
    return 0


def with_tiles(data, tile):
    """Return an image file as lossless JPEG 2000 with tiles, and an index in its main header.

    A JPEG 2000 file that has tiles keeps them. Raises ChainError for a file that is no image, or
    whose pixels would not stay as they are.
    """
    without = {}
    try:
        without = CHAIN.works(in_memory(CHAIN.index(len(data)), data), Task())[1]
        if D2 not in without:
            return marked(data)
    except ChainError:      # it is encoded anew
        pass
    if D4 in without:
        raise ChainError(f'{without[D2]}, and it can not be encoded anew: {without[D4]}')
    return image_codec.tiled(image_codec.opened(data), tile)


def _get(args):
    form = TYPES.get(os.path.splitext(args.output)[1].lower())
    if form is None:
        raise ImageError(f'{args.output}: its name must end with one of {", ".join(TYPES)}')
    part = _part(args)
    try:
        _type, data = image_codec.encoded(part.pixels, form)
        with open(args.output, 'wb') as file:
            file.write(data)
    except OSError as err:
        raise ImageError(f'{args.output}: {err.strerror}') from None
    except ChainError as err:
        raise ImageError(f'{args.output}: {err}') from None
    _tell(args, part)
    return 0


def _show(args):
    part = _part(args)
    if not args.json:
        for line in picture(part.pixels, *os.get_terminal_size() if sys.stdout.isatty()
                            else (80, 24)):
            print(line)
    _tell(args, part)
    return 0


def _part(args):
    return AwareClient(from_environment(), args.points).get(
        args.name, Task(args.region, args.reduce))


def _tell(args, part):
    rows, columns = part.pixels.shape[:2]
    if args.json:
        print(json.dumps(part._asdict() | {'pixels': [columns, rows]}))
        return
    print(f'{columns} x {rows} pixels at {part.point} from {part.server}: '
          f'{part.size:,} bytes in {units.duration(part.network)}, '
          f'own work {units.duration(part.own)}')
