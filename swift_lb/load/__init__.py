"""How loaded is each node? Pure: no I/O, and `now` (seconds, monotonic) is an argument.

The LoadBook is the one mutable keeper; all other rooms read its frozen Snapshots.
"""
