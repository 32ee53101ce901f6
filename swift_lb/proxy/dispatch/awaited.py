"""A client's body, and how long has been waited for it."""


class Awaited:
    """Stand for `wsgi.input`; `seconds` were spent in it, 0 or more."""

    __slots__ = ('_body', '_clock', 'seconds')

    def __init__(self, body, clock):
        self._body, self._clock, self.seconds = body, clock, 0.0

    def read(self, *size, **named):
        """Read as the body does."""
        return self._timed(self._body.read, size, named)

    def readline(self, *size, **named):
        """Read a line as the body does: of a form, or of a bulk delete."""
        return self._timed(self._body.readline, size, named)

    def _timed(self, read, size, named):
        since = self._clock()
        try:
            return read(*size, **named)
        finally:
            self.seconds += self._clock() - since

    def __iter__(self):
        return iter(self._body)

    def __getattr__(self, name):
        """Return what else the server's has: its socket, what it says before `100 Continue`."""
        return getattr(self._body, name)
