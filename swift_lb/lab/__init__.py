"""A real, heterogeneous Swift on one machine: to measure in, to break, to throw away."""
