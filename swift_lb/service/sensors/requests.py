"""How many requests of clients come to the proxies of this host."""
from swift_lb.service.sensors.in_flight import InFlight
from swift_lb.service.sensors.unknown import UnknownError


class Requests(InFlight):
    """Requests of clients that came in between two reads, per second."""

    name, unit = 'requests', 'requests per second'

    def _read(self, now):
        traffic = self._requests.at(now)
        if traffic.elapsed <= 0:
            raise UnknownError('read for the first time')
        return traffic.begun / traffic.elapsed
