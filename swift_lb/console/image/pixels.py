"""What an aware client does with the answer to a request for a part of an image, at each point."""
from swift_lb.chains.chain import D1, D2, D3, in_memory
from swift_lb.chains.details import rebuild
from swift_lb.chains.jpeg2000.place import pixels_of, place_of
from swift_lb.chains.registry import chain_of
from swift_lb.errors import ImageError
from swift_lb.image_codec import MOST_PIXELS, decoded, opened


def pixels_at(point, body, task, overview, path, content_type):
    """Return (array of pixels, how many were decoded of JPEG 2000) of an answer's body.

    In the latter number each component counts. `point` is the point of the answer, `overview` an
    array, None without one; `path` and `content_type` are those of the object. Raises ChainError or
    ImageError.
    """
    if point == D3:
        if overview is None:
            raise ImageError('the answer is of D3, and there is no overview')
        return rebuild(body, overview), 0
    if point in (D1, D2):
        cut = body if point == D2 else cut_of(body, task, path, content_type)
        area = pixels_of(place_of(cut).image, task)
        return decoded(cut, task.reduce, area, MOST_PIXELS)
    return opened(body), 0


def cut_of(data, task, path, content_type):
    """Return the cut of a Task from the bytes of the whole object."""
    chain = chain_of(path, content_type)
    if chain is None:
        raise ImageError(f'{path} is of type {content_type}, of which no parts can be had')
    return in_memory(chain.cut(in_memory(chain.index(len(data)), data), task), data)
