"""Which results are kept, under which keys, and on which hosts. Pure."""
