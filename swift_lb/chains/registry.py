"""The chains that are installed: entry points of the group `swift_lb.chains`."""
from functools import cache
from importlib.metadata import entry_points

from swift_lb.chains.jpeg2000 import CHAIN

GROUP = 'swift_lb.chains'


@cache
def chains():
    """Return {name: Chain}: those of entry points, and that of JPEG 2000 in any case."""
    found = [entry.load() for entry in entry_points(group=GROUP)]
    return {chain.name: chain for chain in (CHAIN, *found)}


def chain_of(path, content_type):
    """Return the Chain that claims an object, None if none does."""
    return next((chain for chain in chains().values() if chain.claims(path, content_type)), None)
