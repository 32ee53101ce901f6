"""Count a request in an object server while it works on a device.

A request counts while the server works for it, and not while it waits for its client: for the next
bytes of an upload, or until bytes of a download are sent. A client may need an hour for either, and
no other request queues behind it meanwhile. A large transfer counts again for each of its chunks: a
request that comes meanwhile waits for one chunk of it, not for the whole transfer.
"""


class Visit:
    """Counts one request on a device, until end() or until its last reference is dropped.

    So a body that is never closed cannot leave its request counted for ever.
    """

    __slots__ = ('_ahead', '_came_at', '_counted', '_ended', '_of_disk', '_place', '_table',
                 'method')

    def __init__(self, table, place, method, now):
        """Begin to count a request that arrives at `now`, in seconds of a monotonic clock.

        `place` is the row of its device in the DeviceTable `table`, `method` its HTTP method.
        """
        self._table, self._place, self.method, self._came_at = table, place, method, now
        self._of_disk = self._counted = self._ended = False
        self._ahead = table.begin(place)
        self._counted = True

    def __del__(self):
        self.end()

    def answer(self, status):
        """Note whether the body comes from the disk: for a GET whose `status` is 200 or 206."""
        self._of_disk = self.method == 'GET' and status[:3] in ('200', '206')

    def first_byte(self, now):
        """Record the time from the request's arrival until its first byte from the disk, `now`."""
        if self._of_disk:
            self._of_disk = False
            self._table.served(self._place, now - self._came_at, self._ahead)

    def report(self):
        """Return the device's DeviceReport without this request; None before the first read."""
        return self._table.report(self._place, int(self._counted))

    def leave(self):
        """Stop counting the request until back(), since the server now waits for its client."""
        if self._counted:
            self._counted = False
            self._table.end(self._place)

    def back(self):
        """Count the request again, after leave(): the server goes on with it."""
        if not self._counted and not self._ended:
            self._table.begin(self._place)
            self._counted = True

    def end(self):
        """Stop counting the request for good: back() has no effect afterwards."""
        self._ended = True
        self.leave()


class FollowedInput:
    """Replaces wsgi.input, an upload's body: while it is read, its request is not counted."""

    def __init__(self, given, visit, safely):
        """Wrap `given`, the server's wsgi.input for the request that `visit` counts.

        `safely(function)` calls a function and never raises.
        """
        self._given, self._visit, self._safely = given, visit, safely

    def __getattr__(self, name):
        return getattr(self._given, name)

    def read(self, *args, **kwargs):
        """Read as wsgi.input does; meanwhile the request is not counted as in flight."""
        return self._wait(self._given.read, args, kwargs)

    def readline(self, *args, **kwargs):
        """Read a line as wsgi.input does; meanwhile the request is not counted as in flight."""
        return self._wait(self._given.readline, args, kwargs)

    def _wait(self, method, args, kwargs):
        self._safely(self._visit.leave)
        try:
            return method(*args, **kwargs)
        finally:
            self._safely(self._visit.back)


class FollowedBody:
    """Replaces an answer's body; ends the count of its request when the body ends or is closed."""

    def __init__(self, body, visit, now, safely):
        """Wrap `body`, the answer to the request that `visit` counts.

        `now()` returns seconds of a monotonic clock; `safely(function)` calls a function and never
        raises.
        """
        self._body, self._visit, self._now, self._safely = body, visit, now, safely

    def __iter__(self):
        begun = False
        for piece in self._body:
            # Before a splice Swift sends a str that flushes eventlet's buffers: no byte of the disk
            if piece and not begun and type(piece) is bytes:
                begun = True
                self._safely(self._begin)
            self._safely(self._visit.leave)
            yield piece
            self._safely(self._visit.back)
        self._safely(self._visit.end)

    def _begin(self):
        self._visit.first_byte(self._now())

    def close(self):
        """Close the body and stop counting its request, even if no part of the body was sent."""
        self._safely(self._visit.end)
        if hasattr(self._body, 'close'):
            self._body.close()
