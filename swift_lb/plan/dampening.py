"""Cygnus' dampening: how much of a newly reported load counts. Pure.

    load = dampening x load before + (1 - dampening) x what is reported

"The higher the value, the lower the percentage of the newly reported load is taken into account"
(section 3.4), which says the same as its meaning, and not as its first sentence on it does.
"""


def dampened(before, reported, dampening):
    """Return the load; what was unknown `before` (None) counts for nothing.

    A load that is unknown now is unknown: what it was is not what it is.
    """
    if reported is None or before is None:
        return reported
    return dampening * before + (1 - dampening) * reported
