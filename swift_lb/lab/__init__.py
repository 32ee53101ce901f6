"""A lab: a real Swift with unlike nodes on one machine, for measurements and experiments."""
