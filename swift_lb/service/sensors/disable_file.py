"""The file with which an operator takes a proxy out: that of Swift's healthcheck."""
import os


class DisableFile:
    """Whether there is a file at the `disable_path` of Swift's healthcheck."""

    def __init__(self, path):
        """Look at `path`; None is no file."""
        self._path = path

    def read(self, _now):
        """Return True if the file exists, False if not, or if that can not be found out."""
        if self._path is None:
            return False
        try:
            os.stat(self._path)
        except (OSError, ValueError):
            return False
        return True
