"""What `adaptive` promises, measured on a real Swift; see doc/outcomes.md."""
