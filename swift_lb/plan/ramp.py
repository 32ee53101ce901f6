"""A cold node begins with a part of its weight. Pure."""

BEGIN = 0.1     # of its weight


def ramp(seconds, whole):
    """Return the fraction that is due `seconds` after a node has come; all is, after `whole`."""
    if seconds >= whole or whole <= 0:
        return 1.0
    return BEGIN + (1 - BEGIN) * max(0.0, seconds) / whole
