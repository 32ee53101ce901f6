"""An Instruction, which DNS and dispatchers follow, as JSON for files and for people. Pure.

    {"format": 1, "boot": the host's boot, "expires_at": 1234.5, "generation": 12, "rules": ...,
     "panic": false, "digest": ..., "parts": [[node, proxy, state, load, ...], ...]}

"parts" are the NodeInstructions: rows of values in the file, which is written each second, and
objects with the names of the fields where people read them. What DNS and dispatchers may do is not
in the document: plan/decision.py derives it from states and panic when the document is read.

expires_at is in seconds of the monotonic clock that all processes of a host share from one boot to
the next: after another boot an Instruction is not valid any more.
"""
import json
import math

from swift_lb.model import STATES, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.wire import boot_document

FORMAT = 1
NUMBERS = ('weight', 'dns', 'keep', 'take')
TEXTS = ('node', 'proxy', 'state')


def document(instruction, boot):
    """Return an Instruction as a dict for people ("parts": dicts); `boot` is the host's boot id."""
    return rows(instruction, boot) | {'parts': [node._asdict() for node in instruction.nodes]}


def rows(instruction, boot):
    """Return an Instruction as a dict for JSON ("parts": tuples); `boot` is the host's boot id."""
    return {'format': FORMAT, 'boot': boot, 'expires_at': instruction.expires_at,
            'generation': instruction.generation, 'rules': instruction.rules,
            'panic': instruction.panic, 'digest': instruction.digest,
            'parts': instruction.nodes}


def encode(instruction, boot):
    """Return an Instruction as the bytes of the file; `boot` is the id of the host's boot."""
    return json.dumps(rows(instruction, boot), separators=(',', ':')).encode()


def decode(data, boot):
    """Return (Instruction, None), or (None, what is wrong with the file's `data`).

    What is wrong is the end of a sentence that begins with the file's name. An Instruction from
    another boot than `boot` is refused, too.
    """
    return boot_document.decode(data, boot, FORMAT, _instruction,
                                'is not an instruction, or only a part of one')


def _instruction(raw):
    if not math.isfinite(raw['expires_at']) or not isinstance(raw['generation'], int):
        raise ValueError(raw)
    return make_instruction(
        raw['generation'], float(raw['expires_at']), str(raw['rules']), raw['panic'] is True,
        tuple(_node_instruction(row) for row in raw['parts']), str(raw['digest']))


def _node_instruction(row):
    node = NodeInstruction(*row)
    if not all(isinstance(getattr(node, name), str) for name in TEXTS):
        raise ValueError(row)
    if node.state not in STATES or not all(0.0 <= getattr(node, name) <= 1.0 for name in NUMBERS):
        raise ValueError(row)
    return node
