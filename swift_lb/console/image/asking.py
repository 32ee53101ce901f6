"""Asks for parts of images as an aware client does, and learns from each answer."""
from typing import NamedTuple

import numpy

from swift_lb import image_codec
from swift_lb.chains.chain import D1, POINTS
from swift_lb.chains.query import query_of
from swift_lb.clock import monotonic
from swift_lb.console.image.measured import Measured, cache_folder
from swift_lb.console.image.overviews import Overviews
from swift_lb.console.image.pixels import pixels_at
from swift_lb.wire.image_client import encode

SAMPLE = 512            # columns and rows of the image by which the decoder is measured
TURNS = 3


class GotPart(NamedTuple):
    """A part of an image that an aware client has."""

    pixels: numpy.ndarray
    point: str
    server: str         # host and port that have answered
    size: int           # bytes of the answer
    network: float      # seconds from the request to the last byte
    own: float          # seconds of this machine's work


class AwareClient:
    """A client that says what it can do, and does its share."""

    def __init__(self, server, points=POINTS, folder=None, clock=monotonic):
        """Take an ImageServer, the points at which it takes over, and the folder of its cache."""
        self._server, self._points, self._clock = server, points, clock
        self._folder = folder or cache_folder()
        self._overviews = Overviews(self._folder)

    def get(self, name, task):
        """Return the GotPart of a Task of CONTAINER/OBJECT; raises ImageError or ChainError."""
        measured = self._measured()
        url = self._server.address(name)
        overview = self._overviews.of(url)
        version, halvings, array = overview or (None, None, None)
        said = measured.client(self._points, halvings, version)
        answer = self._server.get(self._server.address(name, query_of(task)),
                                  {'X-Lb-Client': encode(said)})
        since = self._clock()
        point = answer.headers.get('X-Lb-Point', D1)
        pixels, decoded = pixels_at(point, answer.body, task, array, name,
                                    answer.headers.get('Content-Type', ''))
        own = self._clock() - since
        measured.note_way(answer.latency, len(answer.body), answer.seconds)
        if decoded:
            measured.note_decoded(decoded, own)
        measured.save()
        if task.region is None and task.reduce:
            self._overviews.keep(url, version_of(answer), task.reduce, pixels)
        return GotPart(pixels, point, answer.server, len(answer.body), answer.whole, own)

    def _measured(self):
        return Measured(self._folder, self._server.url, lambda: decoder_speed(self._clock))


def version_of(answer):
    """Return the ETag of the object of which an ImageAnswer is."""
    return (answer.headers.get('X-Lb-Object-Etag') or answer.headers.get('ETag', '')).strip('"')


def decoder_speed(clock):
    """Return the pixels a second that this machine decodes: the best of some turns."""
    noise = numpy.random.default_rng(1).normal(128, 20, (SAMPLE, SAMPLE))
    smooth = numpy.clip(noise.cumsum(0) / numpy.arange(1, SAMPLE + 1)[:, None], 0, 255)
    file = image_codec.tiled(smooth.astype(numpy.uint8))
    best = None
    for _turn in range(TURNS):
        since = clock()
        image_codec.opened(file)
        seconds = clock() - since
        best = seconds if best is None else min(best, seconds)
    return SAMPLE * SAMPLE / best
