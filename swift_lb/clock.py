"""Time as an argument: the only file that reads a clock.

Intervals are always differences of `monotonic()`: a virtual machine's wall clock steps, and Swift's
own `set_node_timing`, which uses it, then measures negative connect times.
"""
import time

monotonic = time.monotonic
sleep = time.sleep
