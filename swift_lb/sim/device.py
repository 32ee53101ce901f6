"""A simulated device: slots that serve, a queue in front of them, and its faults."""
from collections import OrderedDict, deque
from dataclasses import dataclass

from swift_lb.load.service_time import ServiceTime
from swift_lb.load.tail_time import CHUNK_BYTES
from swift_lb.model import DeviceReport

CACHED = 0.0002  # seconds of a read from the page cache


@dataclass
class Condition:
    """The current faults of a device; the events of a scenario change them."""

    slow: float = 1.0        # factor of every service time
    later: float = 0.0       # seconds added to every seek
    pause: tuple = (0.0, 0.0)  # (fraction of seeks, seconds added to these)
    fail: tuple | None = None  # (status, seconds): refuse every request after that time
    hang: bool = False       # serve nothing


class Device:
    """A simulated device, which serves `slots` chunks of reads at once; all other chunks wait.

    A large read goes to the end of the queue after each chunk, so that a small one does not
    wait for all of it. Only the first chunk of a read needs a seek. A read that its proxy has
    given up is served one more chunk: only a sender notices a closed connection.
    """

    def __init__(self, node, kind, agenda, rng):
        """Take its Node, the scenario's DeviceKind, the Agenda and a random.Random."""
        self.node, self.kind, self.condition = node, kind, Condition()
        self.in_flight = 0       # requests that are not answered completely
        self.serving = []        # requests in the slots
        self.waiting = deque()   # requests in the queue
        self._agenda, self._rng = agenda, rng
        self._draw, self._rate = kind.draw, kind.rate
        self._frozen = []        # requests in the slots that a hang has stopped
        self._service_time = ServiceTime()
        self._cache = OrderedDict()   # objects in the page cache, the most recent last

    def report(self, own):
        """Return the DeviceReport that an answer carries, None before the first read was served.

        `own` is whether the answered request is itself still in flight; it is not counted.
        """
        mean = self._service_time.mean
        return None if mean is None else DeviceReport(self.in_flight - own, mean)

    def take(self, attempt):
        """Take an Attempt; call its deliver() per served chunk, or its refused() or declined()."""
        if self.condition.fail:
            status, seconds = self.condition.fail
            self._agenda.at(self._agenda.now + seconds, attempt.refused, status)
            return
        if attempt.limit is not None and self.in_flight > attempt.limit:
            self._agenda.at(self._agenda.now, attempt.declined, None)
            return
        attempt.came_at, attempt.ahead = self._agenda.now, self.in_flight
        self.in_flight += 1
        if self.kind.cache and self._cached(attempt.read.name):
            self._agenda.at(self._agenda.now + CACHED, self._from_cache, attempt)
        else:
            self.work(attempt)

    def work(self, attempt):
        """Serve the next chunk of an Attempt or Background read, or queue it if no slot is free."""
        if len(self.serving) < self.kind.slots:
            self.serving.append(attempt)
            self._begin(attempt)
        else:
            self.waiting.append(attempt)

    def recover(self):
        """Go on with the chunks that the device was serving when its hang began."""
        frozen, self._frozen = self._frozen, []
        for attempt in frozen:
            self._begin(attempt)

    def _cached(self, name):
        cache = self._cache
        cached = name in cache
        cache[name] = True
        cache.move_to_end(name)
        if len(cache) > self.kind.cache:
            cache.popitem(last=False)
        return cached

    def _from_cache(self, attempt):
        size, attempt.left = attempt.left, 0
        self.in_flight -= 1
        attempt.deliver(size)

    def _begin(self, attempt):
        condition = self.condition
        if condition.hang:
            self._frozen.append(attempt)
            return
        seconds = min(CHUNK_BYTES, attempt.left) / self._rate
        if attempt.left == attempt.size:
            seconds += self._draw(self._rng) + condition.later
            if condition.pause[0] and self._rng.random() < condition.pause[0]:
                seconds += condition.pause[1]
        self._agenda.at(self._agenda.now + seconds * condition.slow, self._served, attempt)

    def _served(self, attempt):
        serving = self.serving
        if self.waiting:
            serving[serving.index(attempt)] = following = self.waiting.popleft()
            self._begin(following)
        else:
            serving.remove(attempt)
        counted = attempt.ahead is not None     # a Background read is not counted
        if counted and attempt.left == attempt.size:
            self._service_time.add(self._agenda.now - attempt.came_at, attempt.ahead)
        size = min(CHUNK_BYTES, attempt.left)
        attempt.left -= size
        if attempt.left and not attempt.gone:
            self.work(attempt)
        elif counted:
            self.in_flight -= 1
        attempt.deliver(size)
