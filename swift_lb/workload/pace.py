"""When operations begin: as soon as a worker is free, or by the clock."""
from math import ceil


def closed():
    """Yield None for ever: a worker begins as soon as it is free."""
    while True:
        yield None


def open_loop(rate, start, driver=0, drivers=1):
    """Yield the instants at which this driver's operations are due, `rate` a second in all.

    The n-th of all operations is due at start + n / rate; a driver takes every `drivers`-th. What
    is due while all workers are busy begins late, and its response time counts from when it was
    due: otherwise the slowest answers would be asked for least often (coordinated omission).
    """
    number = driver
    while True:
        yield start + number / rate
        number += drivers


def left(pace, rate, begin, end):
    """Return how many instants from `begin` to before `end` an open loop of `rate` has left.

    They are not counted one by one: where nothing is answered there may be a hundred million.
    """
    due, begin = next(pace), begin - 1e-6 / rate   # an instant is not missed for its last digits
    first = due + max(0, ceil((begin - due) * rate)) / rate
    return max(0, ceil((end - first) * rate))
