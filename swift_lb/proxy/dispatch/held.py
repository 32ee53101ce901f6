"""An answer of the next WSGI app, held back until it is decided whether the client gets it."""


class HeldAnswer:
    """An answer of the next WSGI app, of which status, headers and first piece have come.

    Nothing of it is sent to the client before send() is called.
    """

    def __init__(self, serve):
        """Take `serve(start_response)`, which calls the app and returns the body; call it."""
        self.status, self._started, self._begin = '', None, None
        self._pieces, self._all, self._first = None, None, []
        self.on_complete = None     # called when the last piece has been taken; set before send()
        self._body = serve(self._start)
        if self._started is None or self._first:    # it starts with the first piece, or writes
            self._pieces = iter(self._body)
        if self._started is None:
            self._first += [piece for piece in (self._next(),) if piece is not None]

    def _next(self):
        """Return the first piece, None if there is none; close the body if it raises."""
        try:
            return next(self._pieces, None)
        except BaseException:
            self.close()
            raise

    def _start(self, status, headers, *rest):
        if self._begin is not None:     # again, since it has failed: the server decides
            return self._begin(status, headers, *rest)
        self.status, self._started = status, (status, headers, *rest)
        return self._first.append

    def headers(self):
        """Return {lower-case name: value} of the answer's headers."""
        return {name.lower(): value for name, value in (self._started or ('', ()))[1]}

    def send(self, start_response):
        """Begin the answer to the client by `start_response`, and return its body."""
        self._begin = start_response
        if self._started is not None:
            start_response(*self._started)
        if self._pieces is None and self.on_complete is None:
            return self._body
        return self

    def __iter__(self):
        """Return the one iterator of the pieces: Swift's filters ask for it more than once."""
        if self._all is None:
            self._all = self._each()
        return self._all

    def _each(self):
        yield from self._first
        yield from self._body if self._pieces is None else self._pieces
        if self.on_complete is not None:
            self.on_complete()

    def close(self):
        """Close the body, of which no more is needed."""
        if hasattr(self._body, 'close'):
            self._body.close()
