"""What several sensors read together, once a tick."""
from swift_lb.service.sensors.unknown import UnknownError, reason


class Source:
    """Something that is asked once a tick, by whichever of its sensors is the first to ask.

    A subclass has `_read(now)`; it returns the answer or raises, and all get the one or the other.
    """

    def __init__(self):
        self._at = self._said = self._fault = None

    def at(self, now):
        """Return what was read at `now`; raises UnknownError where that has failed."""
        if now != self._at:
            self._at = now
            try:
                self._said, self._fault = self._read(now), None
            except Exception as err:
                self._said, self._fault = None, reason(err)
        if self._fault is not None:
            raise UnknownError(self._fault)
        return self._said
