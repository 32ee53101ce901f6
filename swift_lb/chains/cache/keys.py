"""The keys of results, by what they were computed from, and of requests for them. Pure.

The key of a step has the ETag and the timestamp of the object, so no result is ever stale, and an
object that is overwritten needs no invalidation. The key of a request has neither: it is known
before the object is asked for, and only says which proxy answers.

A key is the SHA-256 of a list in JSON, in hex: there, no two lists have the same text.
"""
import json
from hashlib import sha256
from typing import NamedTuple

from swift_lb.chains.query import REDUCE, REGION, parameters

INDEX, CUT, COEFFICIENTS, PIXELS = STEPS = 'index', 'cut', 'coefficients', 'pixels'
LENGTH = 64         # characters of a key


class Source(NamedTuple):
    """A version of an object."""

    account: str
    container: str
    object: str
    etag: str
    timestamp: str      # X-Timestamp


def step_key(source, chain, step, task=None, detail=None):
    """Return the key of the result of one of STEPS of a Chain, for a Source.

    `task` is the Task, None for the index. `detail` is the form of pixels, or the overview of
    coefficients.
    """
    return key_of(source, chain.name, chain.version, step, task, detail)


def request_key(path, query):
    """Return the key of a request for a part of an image, None if the query asks for none.

    How its result is to be sent is not in the key, so that the cut and the pixels that two
    forms of it need are in one place.
    """
    found = parameters(query)
    return None if found is None else key_of(path, found.get(REGION), found.get(REDUCE))


def key_of(*parts):
    """Return the key of `parts`: texts, numbers, None and tuples of these."""
    return sha256(json.dumps(parts).encode()).hexdigest()
