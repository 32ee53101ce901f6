"""What is kept of computed results, under which keys, and by whom. Pure."""
