"""How loaded is each node? Pure: no I/O, and `now` (seconds, monotonic) is an argument.

Only the LoadBook is mutable; all other packages read its frozen Snapshots.
"""
