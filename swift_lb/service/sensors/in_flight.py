"""How many requests of clients the proxies of this host have."""
from swift_lb.service.sensors.request_counters import RequestCounters
from swift_lb.service.sensors.sensor import Sensor


class InFlight(Sensor):
    """Requests of clients in flight in all workers of this host's proxies."""

    name, unit = 'in_flight', 'requests'
    counters = RequestCounters

    def __init__(self, *, totals, counters=RequestCounters):
        """Read with `totals`, see RequestCounters; `counters` makes what reads them."""
        self._requests = counters(totals)

    def _read(self, now):
        return self._requests.at(now).in_flight
