"""The options of `swift-lb image`.

They are printed without the packages of the extra `image`, which only an execution needs.
"""
import argparse

from swift_lb.chains.chain import POINTS
from swift_lb.console import options

TILE = 256


def add_arguments(parser):
    """Add the sub-commands of `swift-lb image` to an argparse parser."""
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    put = verbs.add_parser('put', help='write an image as tiled, lossless JPEG 2000')
    put.add_argument('file', help='JPEG 2000, PNG, TIFF or another file that Pillow reads')
    put.add_argument('--tile', type=options.tile, default=TILE, metavar='PIXELS',
                     help='columns and rows of a tile (default: %(default)s); a JPEG 2000 file '
                          'that has tiles keeps them')
    get = verbs.add_parser('get', help='read a part of an image into a file')
    get.add_argument('--output', metavar='FILE', required=True, help='.png, .pgm or .ppm')
    show = verbs.add_parser('show', help='draw a part of an image in the terminal')
    for verb in (get, show):
        verb.add_argument('--region', type=options.region, metavar='X,Y,WIDTH,HEIGHT',
                          help='pixels of the full resolution (default: the whole image)')
        verb.add_argument('--reduce', type=int, default=0, metavar='N',
                          help='halvings of the resolution (default: 0)')
        verb.add_argument('--points', type=_points, default=POINTS, metavar='D1,...',
                          help='at which this machine may take over (default: all)')
        verb.add_argument('--json', action='store_true', help='print the figures for programs')
    for verb in (put, get, show):
        verb.add_argument('name', metavar='CONTAINER/OBJECT', help='as it is, not URL-quoted')


def run(args):
    """Write an image or read a part of one, as command.run does; return the exit status."""
    from swift_lb.console.image import command  # packages that only the extra installs
    return command.run(args)


def _points(text):
    points = tuple(text.split(','))
    if not set(points) <= set(POINTS):
        raise argparse.ArgumentTypeError(f'{text!r} must be some of {",".join(POINTS)}')
    return points
