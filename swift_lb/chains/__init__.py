"""Task chains: what is computed from an object, and at which point the client takes over. Pure."""
