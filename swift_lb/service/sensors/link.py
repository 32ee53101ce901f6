"""One network interface: how fast it is, and how much of that is in use."""
from swift_lb.service.sensors.growth import fraction
from swift_lb.service.sensors.learnt_speed import LearntSpeed
from swift_lb.service.sensors.unknown import UnknownError

IDLE = 1e6      # bits per second: 1 % of 100 Mbit/s, the slowest link that a storage node has


class Link:
    """An interface, its speed told or learnt, and its rate at the last reading."""

    def __init__(self, name):
        self.name = name
        self.speed = None       # bits per second, as configured or as the kernel says
        self.half_duplex = False
        self._learnt = LearntSpeed()
        self._rate = None

    def see(self, received, sent):
        """Note a reading, in bits per second."""
        self._rate = received + sent if self.half_duplex else max(received, sent)
        if self.speed is None:
            self._learnt.see(self._rate)

    @property
    def negligible(self):
        """Whether it may be left out: nobody knows how fast it is, and it is as good as idle."""
        return self._known_speed is None and self._rate <= IDLE

    def utilisation(self):
        """Return the fraction in use; raises UnknownError where the speed is not known."""
        speed = self._known_speed
        if speed is None:
            raise UnknownError(f'nobody says how fast {self.name} is; set its speed')
        try:
            return fraction(self._rate, speed)
        except UnknownError:
            raise UnknownError(f'{self.name} is faster than {speed:g} bits per second, which it '
                               'is said to be; set its speed') from None

    @property
    def _known_speed(self):
        return self.speed or self._learnt.speed
