"""What all sensors share: the base class, unknown readings, growth of counters, shared readings."""
import math

MAX_EXCESS = 1.25   # of the whole: at an interval of 1 s, two instants are less than 0.25 s off


class UnknownError(Exception):
    """A sensor's reading is unknown; the message says why."""


class Sensor:
    """Base class of a sensor, which reads one number about this host.

    A subclass describes the number in its docstring and in the attributes below. Its `_read(now)`
    returns the number, or raises UnknownError or any other exception, which make it unknown.
    """

    name = None                     # of the metric
    unit = None
    minimum, maximum = 0.0, None    # a number outside of them is unknown; None: no bound
    direction = 'lower'             # whether lower or higher is better; 'lower': it is a load
    options = {}                    # {keyword of the constructor: Option of [lb-agent:metric:NAME]}
    shared = None                   # keyword that takes what sensors share: `disks` or `requests`
    fault = None                    # why the last reading was unknown; None if it was known

    def read(self, now):
        """Return the sensor's number at the instant `now`, or None: `fault` then says why."""
        try:
            value, self.fault = self._in_range(self._read(now)), None
        except Exception as err:    # a file that is absent or has other text: the agent goes on
            value, self.fault = None, reason(err)
        return value

    def _in_range(self, value):
        """Return `value` as a float; raises UnknownError if it is not in the sensor's range."""
        minimum = -math.inf if self.minimum is None else self.minimum
        maximum = math.inf if self.maximum is None else self.maximum
        if isinstance(value, bool) or not (math.isfinite(value) and minimum <= value <= maximum):
            raise UnknownError(f'{value} is out of range')
        return float(value)


class SharedReading:
    """Base class of a reading that several sensors use, and that is made once for each instant.

    A subclass has `_read(now)`. What that returns or raises goes to all sensors that ask.
    """

    def __init__(self):
        self._at = self._value = self._fault = None

    def at(self, now):
        """Return the reading for the instant `now`; raises UnknownError if it failed."""
        if now != self._at:
            self._at = now
            try:
                self._value, self._fault = self._read(now), None
            except Exception as err:
                self._value, self._fault = None, reason(err)
        if self._fault is not None:
            raise UnknownError(self._fault)
        return self._value


class Growth:
    """Computes by how much counters have grown since the last reading."""

    def __init__(self):
        self._last = None

    def since_last(self, now, counts):
        """Return (seconds, {key: growth}) since the last call, for the counters {key: count}.

        Raises UnknownError at the first call, if the last call did not have one of the keys, if no
        time has passed, and if a counter is lower than before: it wrapped, or what it counts was
        started again.
        """
        last, self._last = self._last, (now, counts)
        if last is None or counts.keys() - last[1].keys():
            raise UnknownError('read for the first time')
        if now <= last[0]:
            raise UnknownError('no time has passed')
        growth = {key: count - last[1][key] for key, count in counts.items()}
        if any(grown < 0 for grown in growth.values()):
            raise UnknownError('a counter has gone back')
        return now - last[0], growth


def fraction(part, whole):
    """Return part / whole, at most 1; raises UnknownError if the quotient is over MAX_EXCESS.

    A quotient slightly over 1 counts as 1: counters are not read at the very instant of a reading.
    """
    if not (whole > 0 and 0 <= part <= MAX_EXCESS * whole):
        raise UnknownError('more is in use than there is')
    return min(1.0, part / whole)


def reason(err):
    """Return a sentence that says why the exception `err` makes a reading unknown."""
    return str(err) if isinstance(err, UnknownError) else f'{type(err).__name__}: {err}'
