"""How busy the network interfaces of this host are."""
from swift_lb.errors import ConfigError
from swift_lb.service.sensors import interfaces as kernel
from swift_lb.service.sensors.checks import names_fault, speed_fault, speeds_fault
from swift_lb.service.sensors.growth import Growth
from swift_lb.service.sensors.link import Link
from swift_lb.service.sensors.sensor import Sensor
from swift_lb.service.sensors.unknown import UnknownError

LOOK = 60.0     # seconds between two looks for interfaces and their speeds
WAYS = ('rx', 'tx')


class Network(Sensor):
    """Utilisation of the busiest interface that counts, from 0 to 1.

    Of each, the busier of its two ways, or both together if it is half-duplex, over its speed: the
    one configured for it, what the kernel says, the one configured for all, or one that is learnt.
    Where that of a busy interface is unknown, so is the busiest.
    """

    name, unit, most = 'network', 'fraction', 1.0
    options = ('interfaces', 'speeds', 'speed')

    def __init__(self, *, interfaces=None, speeds=None, speed=None, root=kernel.SYS):
        """Read `interfaces`, names, or those that count.

        Bits per second: `speeds` by name, before what the kernel says, and `speed`, where it says
        nothing.
        """
        faults = [names_fault('interfaces', interfaces), speeds_fault('speeds', speeds),
                  speed_fault('speed', speed)]
        if any(faults):
            raise ConfigError(filter(None, faults))
        self._names, self._speeds, self._speed = interfaces, dict(speeds or {}), speed
        self._root, self._growth = root, Growth()
        self._links, self._looked_at = {}, None

    def _read(self, now):
        if self._looked_at is None or now - self._looked_at >= LOOK:
            self._look()
            self._looked_at = now
        elapsed, grown = self._growth.since_last(now, self._counts())
        for name, link in self._links.items():
            link.see(*(grown[name, way] * 8 / elapsed for way in WAYS))
        busy = [link for link in self._links.values() if not link.negligible]
        if not busy:
            raise UnknownError('nobody says how fast an interface is; set its speed')
        return max(link.utilisation() for link in busy)

    def _look(self):
        """Find the links and their speeds; one that stays keeps what has been learnt of it."""
        known, self._links = self._links, {}
        for name in self._names or kernel.real(self._root):
            link = self._links[name] = known.get(name) or Link(name)
            link.speed = self._speeds.get(name) or kernel.speed(name, self._root) or self._speed
            link.half_duplex = kernel.is_half_duplex(name, self._root)
        if not self._links:
            raise UnknownError('there is no interface that counts; set interfaces')

    def _counts(self):
        try:
            return {(name, way): kernel.count(name, way, self._root)
                    for name in self._links for way in WAYS}
        except OSError:
            self._looked_at = None      # it has gone: look again next time
            raise
