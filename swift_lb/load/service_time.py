"""The time of a device for one request, however many it has at once.

    service_time = EWMA, weight 0.1, of  first_byte_time / (ahead + 1)

    first_byte_time   seconds from the arrival of a request to its first byte
    ahead             requests that were on the device when it arrived

If the device serves one request at a time, this is the time of service. If it serves several at
once, it is the time until one of them leaves: a request waits (ahead + 1) x service_time in either
case. The weight makes a memory of some twenty requests, a fifth of a second of 100 reads/s.
"""

WEIGHT = 0.1


class ServiceTime:
    """Keep the service time of one device, as its own server measures it."""

    __slots__ = ('mean',)

    def __init__(self):
        self.mean = None    # seconds

    def add(self, first_byte_time, ahead):
        """Take a first byte time, seconds, of a request that found `ahead` others on the device."""
        sample = first_byte_time / (ahead + 1)
        self.mean = sample if self.mean is None else self.mean + WEIGHT * (sample - self.mean)
