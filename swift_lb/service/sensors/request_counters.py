"""What the proxies of this host have served since the last tick."""
from typing import NamedTuple

from swift_lb.service.sensors.source import Source
from swift_lb.service.sensors.unknown import UnknownError

GROWING = ('begun', 'answered', 'seconds')


class Traffic(NamedTuple):
    """The requests of clients between two ticks; the first tick has nothing before it, 0 s long."""

    in_flight: int      # now
    elapsed: float      # seconds
    ended: int          # requests that are over
    answered: int       # GET and HEAD whose head has been sent
    seconds: float      # that these have waited for it, together


class RequestCounters(Source):
    """The Traffic of this host, for the sensors of requests."""

    def __init__(self, totals):
        """Read with `totals`, which returns load/request_table.py's Totals, or None: no book."""
        super().__init__()
        self._totals, self._last = totals, None

    def _read(self, now):
        totals = self._totals()
        last, self._last = self._last, None
        if totals is None:
            raise UnknownError('no proxy of this host keeps a book')
        self._last = now, totals
        then, before = last or self._last
        begun, *grown = [getattr(totals, name) - getattr(before, name) for name in GROWING]
        if min(begun, *grown) < 0:
            raise UnknownError('the book of the proxies has been started again')
        ended = max(0, begun + before.in_flight - totals.in_flight)
        return Traffic(totals.in_flight, now - then, ended, *grown)
