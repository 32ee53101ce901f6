"""The DNS daemon: which proxy new clients are told of, and by what."""
