"""Table 2 of "Load Balancing for Heterogeneous Web Servers" on a real Swift; see __main__.py."""
