"""The overviews that this machine keeps: whole images of lower resolution, as arrays of pixels."""
import hashlib
import os
from contextlib import suppress
from zipfile import BadZipFile

import numpy

MOST = 100          # overviews


class Overviews:
    """Keeps overviews in files of a folder."""

    def __init__(self, folder):
        """Take the folder, a Path."""
        self._folder = folder / 'overviews'

    def of(self, url):
        """Return (ETag of the object, halvings, array) of the object at `url`, None without one."""
        try:
            with numpy.load(self._path(url), allow_pickle=False) as kept:
                return str(kept['version']), int(kept['reduce']), kept['pixels']
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            return None

    def keep(self, url, version, reduce, pixels):
        """Keep an array as the overview of the object at `url`."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            fresh = self._path(url).with_suffix(f'.{os.getpid()}.npz')
            numpy.savez(fresh, version=version, reduce=reduce, pixels=pixels)
            fresh.replace(self._path(url))
            kept = sorted(self._folder.glob('*.npz'), key=lambda path: path.stat().st_mtime)
            for path in kept[:-MOST]:
                path.unlink()

    def _path(self, url):
        return self._folder / f'{hashlib.sha256(url.encode()).hexdigest()}.npz'
