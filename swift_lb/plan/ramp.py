"""A cold node begins with a part of its weight. Pure."""

BEGIN = 0.1     # of its weight
SECONDS = 30.0  # until all of it


def ramp(seconds):
    """Return the fraction that is due `seconds` after a node has come into service."""
    return min(1.0, BEGIN + (1 - BEGIN) * max(0.0, seconds) / SECONDS)
