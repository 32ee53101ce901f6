"""A real, heterogeneous Swift on one machine, for measurements and experiments."""
