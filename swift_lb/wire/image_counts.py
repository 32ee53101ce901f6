"""What has become of parts of images on one host: counts since its daemon started. Pure.

Proxies tell swift-lb-image, with a quote, what they have answered since the last one:

    "parts": {"D1": 2, "D4": 5}     number of parts at each point
    "saved": 1.25                   seconds, as predicted, that they took less than at D4

The daemon's answer to "do": "status" has the sums, as "points" and "saved_by_points", and, as
"cache", the counts of its store, or null.
"""
from math import isfinite
from typing import NamedTuple

from swift_lb.chains.chain import POINTS
from swift_lb.errors import BAD_REQUEST, ChainError, WireError
from swift_lb.wire.image_job import MOST_SECONDS

MOST_PARTS = 1_000_000      # of one quote
MOST_COUNT = 1e15           # of a daemon
PART_METRICS = (*(f'image_{point.lower()}' for point in POINTS), 'image_hits', 'image_saved')
CACHE_EVENTS = 'cheap', 'evicted', 'failed', 'corrupt'      # counts of a store, besides hits
CACHE = 'budget', 'bytes', *CACHE_EVENTS
MADE = 'kept', 'cheap', 'failed'    # counts of a store: each result that was made is one of these


class ImageCounts(NamedTuple):
    """Counts of one daemon, which only grow while it runs."""

    parts: tuple            # answered at each of POINTS
    hits: float             # results that had been kept
    made: float             # results that were not, and were computed
    saved_by_points: float  # seconds
    saved_by_kept: float    # seconds

    def since(self, before):
        """Return the ImageCounts of what came after `before`; None if the daemon was restarted."""
        parts = tuple(a - b for a, b in zip(self.parts, before.parts, strict=True))
        others = [a - b for a, b in zip(self[1:], before[1:], strict=True)]
        return None if min(*parts, *others) < 0 else ImageCounts(parts, *others)


def parts_of_quote(question):
    """Return ({point: number}, seconds saved) of a quote, a dict; raises ChainError."""
    parts, saved = question.get('parts') or {}, question.get('saved') or 0.0
    if not isinstance(parts, dict) or not parts.keys() <= {*POINTS} or not all(
            type(number) is int and 0 <= number <= MOST_PARTS for number in parts.values()):
        raise ChainError(f'parts must be numbers of parts by their points, {", ".join(POINTS)}',
                         BAD_REQUEST)
    if type(saved) not in (int, float) or not 0 <= saved <= MOST_SECONDS:
        raise ChainError('saved must be a number of seconds', BAD_REQUEST)
    return parts, saved


def of_status(answer):
    """Return the ImageCounts in the daemon's answer to a status, a dict; raises WireError.

    A count that an older daemon does not have is 0.
    """
    try:
        cache, points = answer.get('cache') or {}, answer.get('points') or {}
        return ImageCounts(
            tuple(_count(points.get(point, 0)) for point in POINTS), _count(cache.get('hits', 0)),
            sum(_count(cache.get(name, 0)) for name in MADE),
            _count(answer.get('saved_by_points', 0)), _count(cache.get('saved', 0)))
    except (AttributeError, ValueError):
        raise WireError('the status of swift-lb-image has no counts of parts') from None


def cache_of(answer):
    """Return {name in CACHE: number} of the daemon's status, a dict; {} if it keeps no results."""
    cache = answer.get('cache')
    try:
        return {name: _count(cache.get(name, 0)) for name in CACHE} if cache else {}
    except (AttributeError, ValueError):
        raise WireError('the status of swift-lb-image has no counts of its cache') from None


def _count(value):
    if type(value) not in (int, float) or not isfinite(value) or not 0 <= value <= MOST_COUNT:
        raise ValueError(value)
    return value
