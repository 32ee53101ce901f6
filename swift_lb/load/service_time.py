"""The time of a device for one request, however many it has at once.

    service_time = EWMA, weight 0.1, of  first_byte_time / (ahead + 1)

    first_byte_time   seconds from the arrival of a request to its first byte
    ahead             requests that were on the device when it arrived

With one request at a time in service that is the time of service. With `c` at once it is the time
until one of them leaves, so that a request waits (ahead + 1) x service_time in either case.
The weight: some twenty requests of memory, a fifth of a second on a disk of 100 reads/s.
"""

WEIGHT = 0.1


class ServiceTime:
    """Keep the service time of one device, as its own server measures it."""

    __slots__ = ('mean',)

    def __init__(self):
        self.mean = None    # seconds

    def add(self, first_byte_time, ahead):
        """Take the first byte time of a request, seconds; `ahead` others were there before it."""
        sample = first_byte_time / (ahead + 1)
        self.mean = sample if self.mean is None else self.mean + WEIGHT * (sample - self.mean)
