"""The header X-Lb-Client, in which an aware client says what it can do, and how fast. Pure.

    X-Lb-Client: points=D1,D2,D3,D4; bandwidth=2500000; latency=0.08; pixels=12000000; overview=3;
        version=d41d8cd98f00b204e9800998ecf8427e

    points      at which it can take over (H-SWEB's D1 to D4)
    bandwidth   bytes per second that it receives
    latency     seconds of a round trip to the server
    pixels      that it decodes in a second, its load included; each component counts as one
    overview    halvings of the resolution of the overview that it has; without it, it has none
    version     ETag of the object of which that is the overview; if the object is another one now,
                the overview does not count

Every name but `points` may be missing; unknown names are ignored, so that later versions can add
some.
"""
import math
import re
from typing import NamedTuple

from swift_lb.chains.chain import MOST_REDUCE, POINTS
from swift_lb.errors import WireError

LENGTH = 500        # characters of the header
VERSION = re.compile(r'[\w.:+/=-]{1,128}')


class ImageClient(NamedTuple):
    """What an aware client says of itself; None is unknown."""

    points: tuple = ()
    bandwidth: float | None = None      # bytes per second
    latency: float | None = None        # seconds
    pixels: float | None = None         # per second
    overview: int | None = None         # halvings
    version: str | None = None          # ETag


def encode(client):
    """Return the text of the header for an ImageClient."""
    known = {'points': ','.join(client.points), **{
        name: value if name == 'version' else f'{value:.6g}'
        for name, value in client._asdict().items()
        if name != 'points' and value is not None}}
    return '; '.join(f'{name}={text}' for name, text in known.items())


def decode(text):
    """Return the ImageClient of a header; raises WireError with a sentence for a wrong one."""
    if len(text) > LENGTH:
        raise WireError(f'X-Lb-Client is longer than {LENGTH} characters')
    pairs = [part.partition('=') for part in text.split(';') if part.strip()]
    said = {name.strip(): value.strip() for name, _equals, value in pairs}
    points = tuple(dict.fromkeys(filter(None, said.get('points', '').replace(' ', '').split(','))))
    if not points or not set(points) <= set(POINTS):
        raise WireError(f'X-Lb-Client, points={",".join(points)}: must be some of '
                        f'{",".join(POINTS)}')
    numbers = {name: _positive(name, said[name]) for name in ('bandwidth', 'latency', 'pixels')
               if name in said}
    overview = said.get('overview')
    if overview is not None and not (overview.isdecimal() and len(overview) <= 2
                                     and int(overview) <= MOST_REDUCE):
        raise WireError(f'X-Lb-Client, overview={overview}: must be a number from 0 to '
                        f'{MOST_REDUCE}')
    version = said.get('version')
    if version is not None and VERSION.fullmatch(version) is None:
        raise WireError(f'X-Lb-Client, version={version}: must be the ETag of an object')
    return ImageClient(points, **numbers, overview=overview and int(overview), version=version)


def _positive(name, text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise WireError(f'X-Lb-Client, {name}={text}: must be a number above 0')
    return value
