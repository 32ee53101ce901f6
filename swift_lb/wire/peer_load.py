"""The header with which a proxy tells a peer, in each answer, how loaded it is. Pure.

    X-Lb-Load: in_flight=7 expected=0.034100 step=0.005200 took=0.012300

`expected` is the time until the head of an answer to one more request, `step` what each further
request adds to it, `took` the time until the head of this answer; all in seconds. The dispatcher
that receives the header removes it.
"""
import re
from typing import NamedTuple

HEADER = 'X-Lb-Load'
MAX_REQUESTS = 999_999              # six digits
MIN_SECONDS, MAX_SECONDS = 0.000_001, 9_999.0   # what six decimals and four digits can say
SECONDS = r'([0-9]{1,4}\.[0-9]{6})'
TEXT = re.compile(rf'in_flight=([0-9]{{1,6}}) expected={SECONDS} step={SECONDS} took={SECONDS}')


class PeerLoad(NamedTuple):
    """How loaded a proxy is, as it reports to a peer with each answer to it."""

    in_flight: int      # requests there, without the one it answers
    seconds: float      # expected now for one more request, until the head of its answer
    step: float         # seconds more for each further one, 0 or more


def encode(load, took):
    """Return the header's text of a PeerLoad and of `took`, the seconds until this answer's head.

    Values that are too large, and NaN, become the largest possible ones.
    """
    return (f'in_flight={max(0, min(load.in_flight, MAX_REQUESTS))} '
            f'expected={bounded(load.seconds, MIN_SECONDS):.6f} step={bounded(load.step, 0.0):.6f} '
            f'took={bounded(took, 0.0):.6f}')


def bounded(seconds, least):
    """Return `seconds` limited to the range from `least` to MAX_SECONDS; NaN gives MAX_SECONDS."""
    return max(least, seconds) if seconds <= MAX_SECONDS else MAX_SECONDS   # 0.0 of -0.0


def decode(text):
    """Return (PeerLoad, seconds that the answer took), None for a text in another format."""
    match = TEXT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    load, took = PeerLoad(int(match[1]), float(match[2]), float(match[3])), float(match[4])
    if MIN_SECONDS <= load.seconds <= MAX_SECONDS >= max(load.step, took):
        return load, took
    return None
