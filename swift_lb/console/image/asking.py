"""Asks for parts of images as an aware client does, and learns from each answer."""
import json
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy

from swift_lb import image_codec
from swift_lb.chains.chain import D1, POINTS
from swift_lb.chains.query import WHY, query_of
from swift_lb.clock import monotonic
from swift_lb.console.image.measured import Measured, cache_folder
from swift_lb.console.image.overviews import Overviews
from swift_lb.console.image.pixels import pixels_at
from swift_lb.wire.image_client import encode

SAMPLE = 512            # columns and rows of the image by which the decoder is measured
NOISE = 4.0             # standard deviation of its pixels: 4 bits a pixel, as in photographs
TURNS = 3
NO_OVERVIEW = None, None, None


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
        measured, url = self._measured(), self._server.address(name)
        _version, _halvings, array = overview = self._overviews.of(url) or NO_OVERVIEW
        answer = self._asked(name, query_of(task), measured, overview)
        since = self._clock()
        point = answer.headers.get('X-Lb-Point', D1)
        pixels, decoded = self.work(pixels_at, point, answer.body, task, array, name,
                                    answer.headers.get('Content-Type', ''))
        own = self._clock() - since
        if answer.server == urlsplit(self._server.url).netloc:  # else it was redirected
            measured.note_way(answer.latency, len(answer.body), answer.seconds)
        measured.note_decoded(decoded, own)
        measured.save()
        if task.region is None and task.reduce:
            self._overviews.keep(url, version_of(answer), task.reduce, pixels)
        return GotPart(pixels, point, answer.server, len(answer.body), answer.whole, own)

    def why(self, name, task):
        """Return the document of the server, a dict, on what get() would be answered, and why."""
        overview = self._overviews.of(self._server.address(name)) or NO_OVERVIEW
        query = f'{query_of(task)}&{WHY}=true'
        return json.loads(self._asked(name, query, self._measured(), overview).body)

    def _asked(self, name, query, measured, overview):
        version, halvings, _array = overview
        said = measured.client(self._points, halvings, version)
        return self._server.get(self._server.address(name, query), {'X-Lb-Client': encode(said)})

    def work(self, function, *args):
        """Return function(*args): the work on an image that this machine does."""
        return function(*args)

    def _measured(self):
        return Measured(self._folder, self._server.url, self._speed)

    def _speed(self):
        """Return the pixels a second that this machine decodes: the best of some turns."""
        noise = numpy.random.default_rng(1).normal(128, NOISE, (SAMPLE, SAMPLE))
        file = image_codec.tiled(numpy.clip(noise, 0, 255).astype(numpy.uint8))
        times = []
        for _turn in range(TURNS):
            since = self._clock()
            self.work(image_codec.opened, file)
            times.append(self._clock() - since)
        return SAMPLE * SAMPLE / min(times)


def version_of(answer):
    """Return the ETag of the object of which an ImageAnswer is."""
    return (answer.headers.get('X-Lb-Object-Etag') or answer.headers.get('ETag', '')).strip('"')
