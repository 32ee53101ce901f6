"""The decoders of several hosts, or clusters, as those of one. Pure.

    workers     sum
    the rest    means, weighted by workers: a host with more decoders gets more jobs, and so the
                state of a group of groups is that of all their hosts
"""
from math import fsum

from swift_lb.model import ImageState


def joined(states):
    """Return the ImageState of all those in `states`, each an ImageState or None.

    None if all are None.
    """
    known = [state for state in states if state is not None]
    if not known:
        return None
    workers = sum(state.workers for state in known)
    means = {name: fsum(getattr(state, name) * state.workers for state in known) / workers
             for name in ImageState._fields}
    return ImageState(**means | {'workers': workers})
