"""What a host tells the others of the results that it keeps, as the payload of a datagram. Pure.

    [VERSION, node, epoch, sequence, sent_at, "kept", "gone"]

The texts `kept` and `gone` have KEY characters for each request, MOST requests together, so that a
signed datagram has 1200 bytes at most, and every network passes it unfragmented.
"""
import json
import re
from typing import NamedTuple

from swift_lb.wire.node_report import MAX_DATAGRAM, NAME

VERSION = 1
MAGIC = b'slk1'     # of the signature: such a datagram is no report
KEY = 32            # characters of a request's key: half of it is enough to tell them apart
MOST = 30
KEYS = re.compile(f'(?:[0-9a-f]{{{KEY}}})*')
MOST_COUNT = 1 << 53        # of an epoch or a sequence


class KeptNews(NamedTuple):
    """What one host tells: the requests of which it keeps results, and those of which no more."""

    node: str
    epoch: int          # when its daemon started, in seconds since 1970
    sequence: int       # of the datagrams since then
    sent_at: float      # seconds since 1970
    kept: tuple = ()    # the first KEY characters of the keys
    gone: tuple = ()


def encode(news):
    """Return the payload for KeptNews with MOST requests at most."""
    return json.dumps([VERSION, news.node, news.epoch, news.sequence, round(news.sent_at, 3),
                       ''.join(news.kept), ''.join(news.gone)], separators=(',', ':')).encode()


def decode(payload):
    """Return the KeptNews of a payload, None if it is not valid."""
    if len(payload) > MAX_DATAGRAM:
        return None
    try:
        version, node, epoch, sequence, sent_at, kept, gone = json.loads(payload)
        if version != VERSION or not all((
                type(node) is str and NAME.fullmatch(node), _is_count(epoch), _is_count(sequence),
                type(sent_at) in (int, float), type(kept) is str and KEYS.fullmatch(kept),
                type(gone) is str and KEYS.fullmatch(gone))):
            return None
    except (ValueError, TypeError, RecursionError):
        return None
    return KeptNews(node, epoch, sequence, float(sent_at), _parts(kept), _parts(gone))


def _is_count(value):
    return type(value) is int and 0 <= value < MOST_COUNT


def _parts(text):
    return tuple(text[place:place + KEY] for place in range(0, len(text), KEY))
