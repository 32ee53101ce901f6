"""The only file that reads a clock; other files get the time, or a clock, as an argument.

Intervals are always differences of `monotonic()`: a virtual machine's wall clock steps, and Swift,
which uses that clock for `set_node_timing`, then measures negative connect times.
"""
import time
import uuid
from datetime import datetime

BOOT_ID = '/proc/sys/kernel/random/boot_id'

monotonic = time.monotonic
sleep = time.sleep


def boot():
    """Return the UUID of the host's current boot: monotonic() counts seconds since that boot.

    Raises OSError or ValueError if the kernel has no such UUID.
    """
    with open(BOOT_ID, encoding='ascii') as file:
        return uuid.UUID(file.read().strip())


def wall():
    """Return seconds since 1970: for instants that one host sends to another.

    The clock may be wrong and may step, so differences of its values are no intervals.
    """
    return time.time()


def local_time():
    """Return the local date and time as a datetime: for people to read, never for intervals."""
    return datetime.now()
