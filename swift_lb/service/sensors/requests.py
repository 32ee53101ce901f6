"""Sensors of the clients' requests that the proxies of this host serve."""
from typing import NamedTuple

from swift_lb.service.sensors.sensor import Sensor, SharedReading, UnknownError

GROWING = ('begun', 'answered', 'seconds')


class ServedRequests(NamedTuple):
    """Counts of the clients' requests between two readings; at the first one `elapsed` is 0."""

    in_flight: int      # now
    elapsed: float      # seconds
    ended: int          # requests that ended
    answered: int       # GET and HEAD requests whose response headers were sent
    seconds: float      # sum of the response times of these


class RequestCounters(SharedReading):
    """A reading of ServedRequests over all proxy workers of this host, from their shared counts."""

    def __init__(self, totals):
        """Take `totals()`, which returns the proxy workers' summed Totals, or None if unknown."""
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
        return ServedRequests(totals.in_flight, now - then, ended, *grown)


class RequestsInFlight(Sensor):
    """The number of clients' requests in flight in all workers of this host's proxies."""

    name, unit = 'in_flight', 'requests'
    shared = 'requests'

    def __init__(self, *, requests):
        """Take a RequestCounters, which all sensors of requests share."""
        self._requests = requests

    def _read(self, now):
        return self._requests.at(now).in_flight


class RequestRate(RequestsInFlight):
    """Clients' requests that ended between two readings, per second.

    Requests that began are no measure of load: at an overloaded host, they only queue.
    """

    name, unit = 'requests', 'requests per second'

    def _read(self, now):
        served = self._requests.at(now)
        if served.elapsed <= 0:
            raise UnknownError('read for the first time')
        return served.ended / served.elapsed


class ResponseTime(RequestsInFlight):
    """Mean seconds to the response headers, over GET and HEAD answered between two readings."""

    name, unit = 'response_time', 'seconds'

    def _read(self, now):
        served = self._requests.at(now)
        if not served.answered:
            raise UnknownError('no GET or HEAD has been answered')
        return served.seconds / served.answered
