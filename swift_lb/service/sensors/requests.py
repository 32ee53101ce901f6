"""How many requests of clients the proxies of this host serve."""
from swift_lb.service.sensors.in_flight import InFlight
from swift_lb.service.sensors.unknown import UnknownError


class Requests(InFlight):
    """Requests of clients that were over between two reads, per second.

    Not those that came: more and more come to a host that is overloaded, and just wait.
    """

    name, unit = 'requests', 'requests per second'

    def _read(self, now):
        traffic = self._requests.at(now)
        if traffic.elapsed <= 0:
            raise UnknownError('read for the first time')
        return traffic.ended / traffic.elapsed
