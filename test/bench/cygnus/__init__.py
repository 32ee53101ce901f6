"""Cygnus' comparison of round robin and least loaded, on a lab; see __main__.py."""
