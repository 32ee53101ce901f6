"""The chain of JPEG 2000: sub-images of codestreams and of JP2 files. Pure."""
from swift_lb.chains.chain import Chain, Region
from swift_lb.chains.jpeg2000.cut import read_cut
from swift_lb.chains.jpeg2000.index import read_index
from swift_lb.chains.jpeg2000.index_file import dump_index, load_index
from swift_lb.chains.jpeg2000.place import pixels_of, place_of
from swift_lb.chains.jpeg2000.works import works_of
from swift_lb.errors import BAD_REQUEST, ChainError

TYPES = 'image/jp2', 'image/j2c', 'image/jpx', 'image/jpeg2000', 'image/x-jp2'
ENDINGS = '.jp2', '.j2k', '.j2c', '.jpc', '.jpx'


class Jpeg2000(Chain):
    """The chain of JPEG 2000."""

    name, version = 'jpeg2000', 1
    codec = 'swift_lb.image_codec'
    cut_type = 'image/j2c'

    def claims(self, path, content_type):
        """Return whether the content type, or the end of the path, is one of JPEG 2000."""
        return (content_type.partition(';')[0].strip().lower() in TYPES
                or path.lower().endswith(ENDINGS))

    def index(self, size):
        """Read the ImageIndex of an object."""
        return read_index(size)

    def dumps(self, index):
        """Return an ImageIndex as bytes."""
        return dump_index(index)

    def loads(self, data):
        """Return the ImageIndex of these bytes; raises ValueError if they are none."""
        return load_index(data)

    def region(self, index, task):
        """Return the Region of a Task within the image; raises ChainError if it is outside."""
        image, asked = index.header.grid.image, task.region
        width, height = image.right - image.left, image.bottom - image.top
        if asked is None:
            return Region(0, 0, width, height)
        if asked.x >= width or asked.y >= height:
            raise ChainError(f'the region begins at {asked.x},{asked.y}, outside of the image of '
                             f'{width} x {height} pixels', BAD_REQUEST)
        return Region(asked.x, asked.y, min(asked.width, width - asked.x),
                      min(asked.height, height - asked.y))

    def works(self, index, task, overview=None):
        """Return ([Work, ...], {point: why not}) of a Task."""
        return works_of(index, task, overview)

    def cut(self, index, task, overview=None):
        """Read the cut of a Task: a codestream."""
        return read_cut(index, task, overview)

    def pixels(self, cut, task):
        """Return (pixels to decode, pixels of the result, components of a pixel) for a Task."""
        place = place_of(cut)
        decoded = place.area.halved(max(0, task.reduce - place.reduced))
        return decoded.area, pixels_of(place.image, task).area, place.components


CHAIN = Jpeg2000()
