"""Time as an argument: the only file that reads a clock.

Intervals are always differences of `monotonic()`: a virtual machine's wall clock steps, and Swift's
own `set_node_timing`, which uses it, then measures negative connect times.
"""
import time
import uuid
from datetime import datetime

BOOT_ID = '/proc/sys/kernel/random/boot_id'

monotonic = time.monotonic
sleep = time.sleep


def boot():
    """Return the UUID of the host's boot, from which the instants of monotonic() count.

    Raises OSError or ValueError if the kernel does not have one.
    """
    with open(BOOT_ID, encoding='ascii') as file:
        return uuid.UUID(file.read().strip())


def wall():
    """Return seconds since 1970, for instants that hosts compare with each other's.

    The value may be wrong, and may step; no interval is ever the difference of two of them.
    """
    return time.time()


def local_time():
    """Return the local date and time as a datetime: for people to read, never for intervals."""
    return datetime.now()
