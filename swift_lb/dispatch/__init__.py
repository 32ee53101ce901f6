"""Is a request served here, and if not, by whom? Pure."""
