"""Counters that only grow: what they have grown by from one read to the next."""
from swift_lb.service.sensors.unknown import UnknownError

MOST_OVER = 1.25    # of the whole: the two instants of an interval of 1 s are not 0.25 s off


class Growth:
    """What each of several counters has grown by since it was last read."""

    def __init__(self):
        self._last = None

    def since_last(self, now, counts):
        """Return (seconds, {key: growth}) of {key: count}; raises UnknownError where none is known.

        That is: the first time, for a key that is new, and where a counter has gone back. One goes
        back if it wraps, or if what it counts has been started again; by how much it has grown is
        then anybody's guess.
        """
        last, self._last = self._last, (now, counts)
        if last is None or counts.keys() - last[1].keys():
            raise UnknownError('read for the first time')
        if now <= last[0]:
            raise UnknownError('no time has passed')
        grown = {key: count - last[1][key] for key, count in counts.items()}
        if any(growth < 0 for growth in grown.values()):
            raise UnknownError('a counter has gone back')
        return now - last[0], grown


def fraction(part, whole):
    """Return part / whole, at most 1; raises UnknownError where the part is larger by a quarter.

    Somewhat larger it may be: a counter is not read at the very instant that the read is given.
    """
    if not (whole > 0 and 0 <= part <= MOST_OVER * whole):
        raise UnknownError('more than there is can not be in use')
    return min(1.0, part / whole)
