"""An Instruction as a document: JSON, for files and for people. Pure.

    {"format": 1, "boot": the host's boot, "expires_at": 1234.5, "generation": 12, "rules": ...,
     "panic": false, "digest": ..., "parts": [[node, proxy, state, load, ...], ...]}

A part is a row of model.Part's fields in a file, which is written each second, and has their names
where people read it.

expires_at is of the monotonic clock that all processes of a host share until it is booted anew: of
another boot, an Instruction says nothing.
"""
import json
import math

from swift_lb.model import STATES, Instruction, Part

FORMAT = 1
NUMBERS = ('weight', 'dns', 'keep', 'take')
TEXTS = ('node', 'proxy', 'state')


def document(instruction, boot):
    """Return the document with names; `boot` is text that names this boot."""
    return rows(instruction, boot) | {'parts': [part._asdict() for part in instruction.parts]}


def rows(instruction, boot):
    """Return the document without names."""
    return {'format': FORMAT, 'boot': boot, 'expires_at': instruction.expires_at,
            'generation': instruction.generation, 'rules': instruction.rules,
            'panic': instruction.panic, 'digest': instruction.digest,
            'parts': instruction.parts}


def encode(instruction, boot):
    """Return the bytes of the document without names."""
    return json.dumps(rows(instruction, boot), separators=(',', ':')).encode()


def decode(data, boot):
    """Return (Instruction, None), or (None, what is wrong with it): one sentence's end."""
    try:
        said = json.loads(data)
        if said['format'] != FORMAT:
            return None, f'has format {said["format"]!r}, and this swift-lb reads {FORMAT}'
        if said['boot'] != boot:
            return None, 'is from before this host was booted'
        return instruction_of(said), None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None, 'is no instruction, or only a part of one'


def instruction_of(said):
    """Return the Instruction of a document; raises ValueError, TypeError or KeyError."""
    parts = tuple(part_of(one) for one in said['parts'])
    if not math.isfinite(said['expires_at']) or not isinstance(said['generation'], int):
        raise ValueError(said)
    return Instruction(said['generation'], float(said['expires_at']), str(said['rules']),
                       said['panic'] is True, parts, str(said['digest']))


def part_of(said):
    """Return the Part; raises ValueError, TypeError or KeyError."""
    part = Part(*said)
    if not all(isinstance(getattr(part, name), str) for name in TEXTS):
        raise ValueError(said)
    if part.state not in STATES:
        raise ValueError(said)
    if not all(0.0 <= getattr(part, name) <= 1.0 for name in NUMBERS):
        raise ValueError(said)
    return part
