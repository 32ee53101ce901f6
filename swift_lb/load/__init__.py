"""How loaded is it? Pure: no I/O, and `now` (seconds, monotonic) is an argument.

The book is the one mutable keeper; everybody else reads its frozen Snapshots.
"""
