"""What a proxy tells a peer with each answer: how loaded it is, and how long the answer took it.

    X-Lb-Load: in_flight=7 expected=0.034100 step=0.005200 took=0.012300

The dispatcher that receives it takes it out again: no client sees it.
"""
import re
from typing import NamedTuple

HEADER = 'X-Lb-Load'
MOST_REQUESTS = 999_999             # six digits
LEAST, MOST = 0.000_001, 9_999.0    # seconds: what six decimals and four digits can say
SECONDS = r'([0-9]{1,4}\.[0-9]{6})'
TEXT = re.compile(rf'in_flight=([0-9]{{1,6}}) expected={SECONDS} step={SECONDS} took={SECONDS}')


class Load(NamedTuple):
    """What a peer says of itself when it answers."""

    in_flight: int      # requests there, without the one it answers
    seconds: float      # that it expects one more request to take now, until the head of its answer
    step: float         # seconds more for each further one, 0 or more


def encode(load, took):
    """Return the header's text for a Load, and seconds that the head of this answer took.

    What is too much for it is the most it says, and what is no number as well.
    """
    return (f'in_flight={max(0, min(load.in_flight, MOST_REQUESTS))} '
            f'expected={bounded(load.seconds, LEAST):.6f} step={bounded(load.step, 0.0):.6f} '
            f'took={bounded(took, 0.0):.6f}')


def bounded(seconds, least):
    """Return `seconds`, at least `least` and at most MOST; MOST for what is no number."""
    return max(seconds, least) if seconds <= MOST else MOST


def decode(text):
    """Return (Load, seconds that it took), None for anything but what encode() writes."""
    said = TEXT.fullmatch(text) if isinstance(text, str) else None
    if said is None:
        return None
    load, took = Load(int(said[1]), float(said[2]), float(said[3])), float(said[4])
    return (load, took) if LEAST <= load.seconds <= MOST >= max(load.step, took) else None
