"""How long the clients of this host's proxies wait for their answers."""
from swift_lb.service.sensors.in_flight import InFlight
from swift_lb.service.sensors.unknown import UnknownError


class ResponseTime(InFlight):
    """Mean time to the head of the answer, of the GET and HEAD answered between two reads."""

    name, unit = 'response_time', 'seconds'

    def _read(self, now):
        traffic = self._requests.at(now)
        if not traffic.answered:
            raise UnknownError('no GET or HEAD has been answered')
        return traffic.seconds / traffic.answered
