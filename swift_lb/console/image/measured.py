"""What this machine has measured of itself as a client of images, and the overviews that it keeps.

They are in the folder swift-lb of the user's cache (XDG_CACHE_HOME, ~/.cache by default). A file
that is missing or unreadable is measured anew.
"""
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

import numpy

from swift_lb.wire.image_client import POINTS, ImageClient

GAIN = 0.3              # of each new measurement
LARGE = 65536           # bytes from which on a body shows the bandwidth
MOST_OVERVIEWS = 100


def cache_folder():
    """Return the Path of the folder in which the client keeps its files."""
    return Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache', 'swift-lb')


class Measured:
    """The client's speed and its way to one server."""

    def __init__(self, folder, server, pixels):
        """Read what is kept in a folder, a Path, of `server`, its host and port.

        `pixels()` measures how many pixels a second this machine decodes; it is called only if
        nothing is known.
        """
        self._path = folder / 'image.json'
        self._kept = _read(self._path)
        self._way = self._kept.setdefault('ways', {}).setdefault(server, {})
        if not self._kept.get('pixels'):
            self._kept['pixels'] = pixels()

    def client(self, points=POINTS, overview=None, version=None):
        """Return the ImageClient that this machine is; the arguments are its fields."""
        return ImageClient(tuple(points), self._way.get('bandwidth'), self._way.get('latency'),
                           self._kept['pixels'], overview, version)

    def note_way(self, latency, size, seconds):
        """Learn seconds of a round trip, and that a body of `size` bytes took `seconds`."""
        _mean(self._way, 'latency', latency)
        if size >= LARGE and seconds > 0:
            _mean(self._way, 'bandwidth', size / seconds)

    def note_decoded(self, pixels, seconds):
        """Learn that so many pixels were decoded in `seconds`."""
        if seconds > 0:
            _mean(self._kept, 'pixels', pixels / seconds)

    def save(self):
        """Write what was learnt; without a place for it, it is forgotten."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_suffix(f'.{os.getpid()}')
            fresh.write_text(json.dumps(self._kept, indent=1) + '\n')
            fresh.replace(self._path)


def _read(path):
    try:
        kept = json.loads(path.read_text())
        return kept if isinstance(kept, dict) and isinstance(kept.get('ways', {}), dict) else {}
    except (OSError, ValueError):
        return {}


def _mean(values, name, seen):
    before = values.get(name)
    values[name] = seen if not before else before + GAIN * (seen - before)


class Overviews:
    """The overviews that this machine keeps: whole images of lower resolution, as arrays."""

    def __init__(self, folder):
        """Take the folder, a Path."""
        self._folder = folder / 'overviews'

    def of(self, url):
        """Return (ETag of the object, halvings, array) of the object at `url`, None without one."""
        try:
            with numpy.load(self._path(url), allow_pickle=False) as kept:
                return str(kept['version']), int(kept['reduce']), kept['pixels']
        except (OSError, ValueError, KeyError):
            return None

    def keep(self, url, version, reduce, pixels):
        """Keep an array as the overview of the object at `url`."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = self._path(url).with_suffix(f'.{os.getpid()}.npz')
            numpy.savez(fresh, version=version, reduce=reduce, pixels=pixels)
            fresh.replace(self._path(url))
            kept = sorted(self._folder.glob('*.npz'), key=lambda path: path.stat().st_mtime)
            for path in kept[:-MOST_OVERVIEWS]:
                path.unlink()

    def _path(self, url):
        return self._folder / f'{hashlib.sha256(url.encode()).hexdigest()}.npz'
