"""What this machine has measured of itself as a client of images.

It is in the folder swift-lb of the user's cache (XDG_CACHE_HOME, ~/.cache by default). If the file
is missing or unreadable, all is measured anew.
"""
import json
import os
from contextlib import suppress
from pathlib import Path

from swift_lb.chains.chain import POINTS
from swift_lb.wire.image_client import ImageClient

GAIN = 0.3              # of each new measurement
FORGOTTEN = 0.05        # of the load of this machine, for each part without decoding
LARGE = 65536           # bytes from which on a body shows the bandwidth


def cache_folder():
    """Return the Path of the folder in which the client keeps its files."""
    return Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache', 'swift-lb')


class Measured:
    """The client's speed and its way to one server."""

    def __init__(self, folder, server, pixels):
        """Read what is kept in a folder, a Path, of `server`, its host and port.

        `pixels()` measures how many pixels a second this machine decodes, None if it cannot; it is
        called only if nothing is known.
        """
        self._path = folder / 'image.json'
        self._kept = _read(self._path)
        self._way = self._kept.setdefault('ways', {}).setdefault(server, {})
        if not self._kept.get('pixels'):
            self._kept['pixels'] = self._kept['alone'] = pixels()

    def client(self, points=POINTS, overview=None, version=None):
        """Return the ImageClient that this machine is; the arguments are its fields."""
        return ImageClient(tuple(points), self._way.get('bandwidth'), self._way.get('latency'),
                           self._kept['pixels'], overview, version)

    def note_way(self, latency, size, seconds):
        """Learn seconds of a round trip, None if unknown, and that a body took `seconds`.

        It had `size` bytes.
        """
        if latency is not None:
            _mean(self._way, 'latency', latency)
        if size >= LARGE and seconds > 0:
            _mean(self._way, 'bandwidth', size / seconds)

    def note_decoded(self, pixels, seconds):
        """Learn that so many pixels were decoded in `seconds`, or none.

        While none are, the speed nears that of the first measurement: else a client that was busy
        once would leave all work to the server for ever.
        """
        known, alone = self._kept.get('pixels'), self._kept.get('alone')
        if pixels and seconds > 0:
            _mean(self._kept, 'pixels', pixels / seconds)
        elif not pixels and known and alone and known < alone:
            self._kept['pixels'] = known + FORGOTTEN * (alone - known)

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
