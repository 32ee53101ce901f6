"""source_hash: the same client, the same backend.

    hashed = address of the client      the slots of hashed.py

Source: HAProxy `balance source`, LVS `sh`. If all clients come through one NAT or one proxy, one
backend has them all: nothing but the address counts.
"""
from swift_lb.policy.backends.hashed import Hashed


class SourceHash(Hashed):
    """Order by a hash of the client's address."""

    hashes = 'client'

    def text(self, asked):
        """Return the address."""
        return asked.client
