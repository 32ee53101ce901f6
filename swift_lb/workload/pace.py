"""The instants at which operations start: when a worker is free (closed loop), or by the clock."""
from math import ceil


def closed():
    """Yield None for ever: each operation starts as soon as a worker is free."""
    while True:
        yield None


def open_loop(rate, start, driver=0, drivers=1):
    """Yield the instants at which this driver's operations are due, `rate` per second in all.

    The n-th of all operations is due at start + n / rate; each driver takes every `drivers`-th. An
    operation that is due while all workers are busy starts late, and its response time counts from
    when it was due: otherwise slow responses would suppress the measurements that show them
    (coordinated omission).
    """
    number = driver
    while True:
        yield start + number / rate
        number += drivers


def left(pace, rate, begin, end):
    """Return the number of instants that an open loop has left from `begin` to before `end`.

    It is computed and not counted: if nothing responds there may be a hundred million.
    """
    due, begin = next(pace), begin - 1e-6 / rate   # a margin for rounding
    first = due + max(0, ceil((begin - due) * rate)) / rate
    return max(0, ceil((end - first) * rate))
