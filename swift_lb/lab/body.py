"""The body of a response from a node that streams slowly, or whose connection breaks."""
from swift_lb.clock import monotonic
from swift_lb.concurrency import sleep

STEP = 0.05  # seconds between two pieces of a slow stream


class ShapedBody:
    """Wraps the body iterable of a GET."""

    def __init__(self, body, rate, cut, break_off):
        """Send `rate` bytes per second, and call `break_off` after `cut` bytes; None is no limit.
        """
        self._body, self._rate, self._cut, self._break_off = body, rate, cut, break_off

    def __iter__(self):
        sent, due = 0, monotonic()
        for piece in self._pieces():
            if self._cut is not None and sent + len(piece) > self._cut:
                yield piece[:self._cut - sent]
                self._break_off()
                return
            if self._rate is not None:
                due += len(piece) / self._rate
                sleep(max(0, due - monotonic()))
            yield piece
            sent += len(piece)

    def _pieces(self):
        if self._rate is None:
            yield from self._body
            return
        step = max(1, int(self._rate * STEP))
        for part in self._body:
            for begin in range(0, len(part), step):
                yield part[begin:begin + step]

    def close(self):
        """Close the wrapped body, even if it was never read."""
        if hasattr(self._body, 'close'):
            self._body.close()
