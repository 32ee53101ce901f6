"""Time as an argument: the only file that reads a clock.

Intervals are always differences of `monotonic()`: a virtual machine's wall clock steps, and Swift's
own `set_node_timing`, which uses it, then measures negative connect times.
"""
import time
from datetime import datetime

monotonic = time.monotonic
sleep = time.sleep


def wall():
    """Return seconds since 1970: what hosts compare when one tells another that something is new.

    It may be wrong, and may step; no interval is ever made of two of them.
    """
    return time.time()


def local_time():
    """Return the date and time here as a datetime: a stamp for people to read.

    No interval is ever made of two of them.
    """
    return datetime.now()
