"""The sensor of this host's network interfaces, which learns a link's speed if it is unknown."""
from swift_lb.config import InvalidError, Option, speed, words
from swift_lb.service.sensors import interfaces as kernel
from swift_lb.service.sensors.sensor import Growth, Sensor, UnknownError, fraction

SEARCH_INTERVAL = 60.0      # seconds between two searches for interfaces and their speeds
DIRECTIONS = ('rx', 'tx')
IDLE = 1e6          # bits per second: 1 % of 100 Mbit/s, the slowest link of a storage node
# Of LearntSpeed:
FLAT = 0.05         # fraction by which rates at the limit differ
RUN = 10            # readings
SPELLS = 3
SPELL_END = 0.8     # of the limit: a spell ends below it
MIN_SPEED = 100e6   # bits per second; a storage node has no slower link


def interface_name(text):
    """Parse the name of a network interface; raises InvalidError if it is not a possible one."""
    if not 0 < len(text) < 16 or text in ('.', '..') or any(
            sign in '/:\0' or sign.isspace() for sign in text):
        raise InvalidError(f'{text!r} must be the name of a network interface')
    return text


def interface_names(text):
    """Parse names of network interfaces, separated by commas or blanks, into a tuple."""
    return tuple(map(interface_name, words(text)))


def speeds(text):
    """Parse `INTERFACE=SPEED, ...` into {interface: bits per second}."""
    rates = {}
    for word in words(text):
        name, equals, rate = word.partition('=')
        if not equals or not name or not rate:
            raise InvalidError(f'{word!r} must be INTERFACE=SPEED, such as eth0=10G')
        rates[interface_name(name)] = speed(rate)
    return rates


class Network(Sensor):
    """The utilisation of the busiest interface, a fraction.

    The utilisation of an interface is the rate of its busier direction, or of both together if it
    is half-duplex, divided by its speed: the speed configured for it, the kernel's, the speed
    configured for all, or a learnt one. Unknown if the speed of an interface in use is unknown.
    """

    name, unit, maximum = 'network', 'fraction', 1.0
    options = {
        'interfaces': Option(interface_names, '', 'network interfaces that are measured'),
        'speeds': Option(speeds, 'bits per second', 'speeds that override the kernel\'s'),
        'speed': Option(speed, 'bits per second', 'speed of interfaces that report none'),
    }

    def __init__(self, *, interfaces=(), speeds=None, speed=None, root=kernel.SYS):
        """Take the names of the `interfaces` to read; by default all physical ones are read.

        `speeds`, {interface: bits per second}, override the kernel's speeds; `speed`, in bits per
        second, is for interfaces of which the kernel knows none. `root` is /sys/class/net.
        """
        self._names, self._speeds, self._speed = interfaces, dict(speeds or {}), speed
        self._root, self._growth = root, Growth()
        self._links, self._searched_at = {}, None

    def _read(self, now):
        if self._searched_at is None or now - self._searched_at >= SEARCH_INTERVAL:
            self._search()
            self._searched_at = now
        elapsed, grown = self._growth.since_last(now, self._counts())
        for name, link in self._links.items():
            link.see(*(grown[name, direction] * 8 / elapsed for direction in DIRECTIONS))
        busy = [link for link in self._links.values() if not link.negligible]
        if not busy:
            raise UnknownError('the speed of no interface is known; set its speed')
        return max(link.utilisation() for link in busy)

    def _search(self):
        """Find the interfaces and their speeds; those found before keep their learnt speeds."""
        known, self._links = self._links, {}
        for name in self._names or kernel.physical(self._root):
            link = self._links[name] = known.get(name) or Link(name)
            link.speed = self._speeds.get(name) or kernel.speed(name, self._root) or self._speed
            link.half_duplex = kernel.is_half_duplex(name, self._root)
        if not self._links:
            raise UnknownError('there is no physical interface; set interfaces')

    def _counts(self):
        try:
            return {(name, direction): kernel.count(name, direction, self._root)
                    for name in self._links for direction in DIRECTIONS}
        except OSError:
            self._searched_at = None    # the interface has left the host: search at the next read
            raise


class Link:
    """One network interface: its speed, configured or learnt, and its rate at the last reading."""

    def __init__(self, name):
        self.name = name
        self.speed = None       # bits per second, as configured or from the kernel
        self.half_duplex = False
        self._learnt = LearntSpeed()
        self._rate = None

    def see(self, received, sent):
        """Note the rates `received` and `sent` since the last reading, in bits per second."""
        self._rate = received + sent if self.half_duplex else max(received, sent)
        if self.speed is None:
            self._learnt.see(self._rate)

    @property
    def negligible(self):
        """Whether the link may be ignored: its speed is unknown, and it is practically idle."""
        return self._known_speed is None and self._rate <= IDLE

    def utilisation(self):
        """Return rate / speed, at most 1; raises UnknownError if the speed is unknown or wrong."""
        speed = self._known_speed
        if speed is None:
            raise UnknownError(f'the speed of {self.name} is not known; set it')
        try:
            return fraction(self._rate, speed)
        except UnknownError:
            raise UnknownError(f'{self.name} is faster than its speed, {speed:g} bits per second; '
                               'set its speed') from None

    @property
    def _known_speed(self):
        return self.speed or self._learnt.speed


class LearntSpeed:
    """The speed of a link, learnt from its largest rate if that looks like the link's limit.

    The largest rate is only a lower bound of the speed: used as the speed, it would make an idle
    link look full. A link at its limit runs flat, and returns to the same limit. So the largest
    rate is used as the speed when RUN readings in a row were within the fraction FLAT of it, in
    each of SPELLS spells, between which the rate fell below SPELL_END of it; and never a rate below
    MIN_SPEED.

    Traffic that is sent three times at the same even rate looks like a limit too. The link then
    looks more loaded than it is until a greater rate is seen, with which learning starts again.
    """

    def __init__(self):
        self._last = self._limit = 0.0
        self._run = self._spells = 0

    def see(self, rate):
        """Learn from the rate of one reading, in bits per second.

        A reading that is late shows too great a rate, and the next one too small a rate: therefore
        the lesser of two readings in a row counts.
        """
        rate, self._last = min(rate, self._last), rate
        if rate > self._limit * (1 + FLAT):
            self._limit, self._run, self._spells = rate, 1, 0
        elif rate >= self._limit * (1 - FLAT):
            self._run += 1
            self._spells += self._run == RUN
        elif rate < self._limit * SPELL_END or self._run < RUN:
            self._run = 0

    @property
    def speed(self):
        """The learnt speed in bits per second, or None if none has been learnt."""
        return self._limit if self._spells >= SPELLS and self._limit >= MIN_SPEED else None
