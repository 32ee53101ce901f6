"""The promises of `adaptive`, measured on a real Swift; see doc/outcomes.md."""
