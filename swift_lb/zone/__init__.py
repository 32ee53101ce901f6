"""The content of the DNS zone and the answers to its clients. Pure."""
