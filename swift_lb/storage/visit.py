"""One request on its way through an object server: begin and end are one object.

It is on the device while the server works for it, and not while it waits for its client: for the
next bytes of an upload, or until those of a download are taken. A client may take an hour over
either, for which nothing stands in a queue. What is large comes back for each chunk, as it does to
the disk: who is asked meanwhile waits for a chunk of it, and not for the whole.
"""


class Visit:
    """Count one request of a device, and end exactly once.

    Whoever drops the last reference ends it, so that a body nobody closes can not leak a count.
    """

    __slots__ = ('_ahead', '_came_at', '_counted', '_of_disk', '_over', '_place', '_table',
                 'method')
    declined = False

    def __init__(self, table, place, method, now):
        """Begin: `place` is the device's in the DeviceTable `table`."""
        self._table, self._place, self.method, self._came_at = table, place, method, now
        self._of_disk = self._counted = self._over = False
        self._ahead = table.begin(place)
        self._counted = True

    def __del__(self):
        self.end()

    def answer(self, status):
        """Note the status line of the answer: an object's bytes come from the disk."""
        self._of_disk = self.method == 'GET' and status[:3] in ('200', '206')

    def first_byte(self, now):
        """Note that the first of the body is there; what comes later says nothing of the disk."""
        if self._of_disk:
            self._of_disk = False
            self._table.served(self._place, now - self._came_at, self._ahead)

    def report(self):
        """Return the DeviceReport of this instant, without this request; None if there is none."""
        return self._table.report(self._place, int(self._counted))

    def leave(self):
        """Note that it waits for its client, until it comes back()."""
        if self._counted:
            self._counted = False
            self._table.end(self._place)

    def back(self):
        """Note that the server works for it again."""
        if not self._counted and not self._over:
            self._table.begin(self._place)
            self._counted = True

    def end(self):
        """Count it no more."""
        self._over = True
        self.leave()


class DeclinedVisit:
    """A request that is turned away: it never counts."""

    declined = True

    def __init__(self, table, place):
        self._table, self._place = table, place

    def report(self):
        """Return the DeviceReport of this instant; None if there is none."""
        return self._table.report(self._place, 0)


class FollowedInput:
    """Stand for the body of a request, wsgi.input, with all else that a server's can do."""

    def __init__(self, given, visit, safely):
        """What `safely` is given to call, does not fail."""
        self._given, self._visit, self._safely = given, visit, safely

    def __getattr__(self, name):
        return getattr(self._given, name)

    def read(self, *args, **kwargs):
        """Read; meanwhile the request is not on the device."""
        return self._wait(self._given.read, args, kwargs)

    def readline(self, *args, **kwargs):
        """Read a line; meanwhile the request is not on the device."""
        return self._wait(self._given.readline, args, kwargs)

    def _wait(self, take, args, kwargs):
        self._safely(self._visit.leave)
        try:
            return take(*args, **kwargs)
        finally:
            self._safely(self._visit.back)


class FollowedBody:
    """Stand for the body of an answer until its end, whole or not."""

    def __init__(self, body, visit, now, safely):
        """`now` is a clock; what `safely` is given to call, does not fail."""
        self._body, self._visit, self._now, self._safely = body, visit, now, safely

    def __iter__(self):
        begun = False
        for piece in self._body:
            if piece and not begun and type(piece) is bytes:    # else what flushes eventlet's
                begun = True                                    # buffers, before a splice
                self._safely(self._begin)
            self._safely(self._visit.leave)
            yield piece
            self._safely(self._visit.back)
        self._safely(self._visit.end)

    def _begin(self):
        self._visit.first_byte(self._now())

    def close(self):
        """Close the body, also if it was never begun."""
        self._safely(self._visit.end)
        if hasattr(self._body, 'close'):
            self._body.close()
