"""Bytes to and from the model: formats of others and our own; no sockets, no files."""
