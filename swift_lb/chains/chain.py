"""What a chain of tasks is, and the words for it. Pure.

A chain computes a part of an object in steps. The client can take over at one of four points
(Andresen, McCune: H-SWEB, section 2):

    D1      the server sends the object; the client does all
    D2      the server sends the portions of the object that the part needs, still encoded
    D3      the client has an overview; the server sends the detail coefficients that it lacks
    D4      the server sends pixels

Steps that read the object are generators, so that a chain does no I/O: each yields a list of byte
ranges, (first, last) with both ends included, and is sent the list of their bytes. A step that
computes for long yields empty lists, so that other requests go on. Its return value is the result.
"""
from typing import NamedTuple

D1, D2, D3, D4 = POINTS = 'D1', 'D2', 'D3', 'D4'
PNG, RAW = 'png', 'raw'         # forms of the pixels of D4; RAW is a PGM or PPM file
FORMS = PNG, RAW
COEFFICIENTS_TYPE = 'application/vnd.swift-lb.coefficients'      # content type of D3
MOST_REDUCE = 32        # halvings of the resolution, by the format JPEG 2000
BATCH = 50              # ranges of one request that Swift accepts


class Region(NamedTuple):
    """A rectangle of an image, in pixels of its full resolution, from its upper left corner."""

    x: int
    y: int
    width: int
    height: int


class Task(NamedTuple):
    """The part of an image that is wanted: `region`, after `reduce` halvings of the resolution."""

    region: Region | None = None        # None: the whole image
    reduce: int = 0


class Work(NamedTuple):
    """What one point costs, as far as the index of an object tells."""

    point: str
    form: str               # one of FORMS for D4, '' else
    read: int               # bytes of the object that are read
    ranges: int             # in which these are
    size: float             # bytes that are sent
    server_pixels: int      # that the server decodes; in these three, each component of a pixel
    #                         counts: three of a colour are as much work as three gray ones
    client_pixels: int      # that the client decodes
    pixels: int             # of the result


class Chain:
    """The interface of a chain; the entry points of the group `swift_lb.chains` are instances.

    An index is what the chain knows of one object: its structure, not its content. The methods
    raise ChainError, with a sentence for the client, for an object or a task that they refuse.
    """

    name, version = '', 0       # both are part of the keys of cached results
    cut_type = ''               # content type of a cut
    codec = ''                  # module whose ImageCodec decodes cuts, in processes of their own

    def claims(self, path, content_type):
        """Return whether objects of this path and content type are this chain's."""
        raise NotImplementedError

    def index(self, size):
        """Read the index of an object of `size` bytes: a generator, which returns it."""
        raise NotImplementedError

    def dumps(self, index):
        """Return an index as bytes."""
        raise NotImplementedError

    def loads(self, data):
        """Return the index of these bytes; raises ValueError if they are none."""
        raise NotImplementedError

    def region(self, index, task):
        """Return the Region of a Task within the image; raises ChainError if it is outside."""
        raise NotImplementedError

    def works(self, index, task, overview=None):
        """Return ([Work, ...], {point: why not}) of a Task.

        `overview` is the number of halvings of the overview that the client has, None without one.
        """
        raise NotImplementedError

    def cut(self, index, task, overview=None):
        """Read the portions that a Task needs: a generator, which returns a file of them.

        With an overview they are those that the coefficients need, which may be more.
        """
        raise NotImplementedError

    def pixels(self, cut, task):
        """Return (pixels to decode, pixels of the result, components of a pixel) for a Task.

        `cut` is what cut() has returned for it.
        """
        raise NotImplementedError


def run(step, read):
    """Return the result of a step of a chain, a generator; `read(ranges)` returns their bytes."""
    blocks = None
    while True:
        try:
            ranges = step.send(blocks)
        except StopIteration as end:
            return end.value
        blocks = read(ranges)


def in_memory(step, data):
    """Return the result of a step of a chain on an object whose bytes are `data`."""
    return run(step, lambda ranges: [data[first:last + 1] for first, last in ranges])
