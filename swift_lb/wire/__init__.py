"""Formats of headers, messages and files: bytes to and from the model's objects. No I/O."""
