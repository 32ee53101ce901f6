"""A trace of people who browse large images: an overview, then zooming and panning.

A visit is to one image, by Zipf's law with the exponent 0.9 (of web caches: Breslau et al., "Web
Caching and Zipf-like Distributions", 1999, have 0.64 to 0.83; the goal of issue 19 says 0.9). It
begins with the whole image as an overview of 512x512 pixels. Then each view is a quadrant of the
last one (zoom), or the view beside it (pan), until the visit ends.

    ZOOM, PAN   probabilities of the next step; the rest is the end: 6.7 views a visit
    SAME        probability that a zoom goes where most zooms into this view go
    THINK       mean seconds between two views of a visit
"""
import itertools
from bisect import bisect
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from swift_lb.chains.chain import Region, Task

LEVELS = 4              # reductions, by default: an image has 8192 pixels a side
VIEW = 512              # pixels a side of a view: an image has (VIEW << reductions)
ZIPF, ZOOM, PAN, SAME, THINK = 0.9, 0.45, 0.4, 0.5, 2.0
NEIGHBOURS = (1, 0), (-1, 0), (0, 1), (0, -1)


class View(NamedTuple):
    """One request of a visit."""

    at: float       # seconds since the trace began
    visit: int
    image: int      # 0 is visited most
    task: Task


class Browsing:
    """The views of visits that begin at random instants, in the order of their instants."""

    def __init__(self, images, rate, seed, levels=LEVELS):
        """Take the number of images, the visits a second, and the reductions of an image."""
        self._rng, self._rate, self._seed, self._levels = Random(seed), rate, seed, levels
        self._shares = list(itertools.accumulate((place + 1) ** -ZIPF for place in range(images)))

    def views(self, count):
        """Yield the first `count` Views."""
        heap, begins, visits = [], 0.0, itertools.count()
        for _view in range(count):
            while not heap or heap[0][0] >= begins:
                heappush(heap, (begins, next(visits), self._image(),
                                (self._levels, 0, 0)))
                begins += self._rng.expovariate(self._rate)
            at, visit, image, place = heappop(heap)
            yield View(at, visit, image, task_of(*place))
            place = self._next(image, *place)
            if place is not None:
                heappush(heap, (at + self._rng.expovariate(1 / THINK), visit, image, place))

    def _image(self):
        return bisect(self._shares, self._rng.random() * self._shares[-1])

    def _next(self, image, reduce, column, row):
        """Return (reductions, column, row) of the view after this one, None at the end."""
        draw = self._rng.random()
        side = 1 << (self._levels - reduce)     # views a side of the image
        if draw < ZOOM and reduce:
            quadrant = (Random(f'{self._seed} {image} {reduce} {column} {row}')
                        if self._rng.random() < SAME else self._rng).randrange(4)
            return reduce - 1, 2 * column + quadrant % 2, 2 * row + quadrant // 2
        if draw >= ZOOM + PAN or reduce == self._levels:
            return None
        right, down = self._rng.choice(NEIGHBOURS)
        return reduce, min(max(column + right, 0), side - 1), min(max(row + down, 0), side - 1)


def task_of(reduce, column, row):
    """Return the Task of a view, given as its place in the grid of views of its resolution."""
    pixels = VIEW << reduce
    return Task(Region(column * pixels, row * pixels, pixels, pixels), reduce)
