"""destination_hash: the same path, the same backend.

    hashed = path up to the `?`         the slots of hashed.py

Source: HAProxy `balance uri` without `whole`: "the left part of the URI (before the question
mark)". Piorkowski et al. call it Destination Hashing, and URI in their Table 2.
"""
from swift_lb.policy.backends.hashed import Hashed


def destination(asked):
    """Return the path that is asked for, without its query."""
    return asked.path.partition('?')[0]


class DestinationHash(Hashed):
    """Order by a hash of the path."""

    hashes = 'path'

    def text(self, asked):
        """Return the path without the query."""
        return destination(asked)
