"""The cluster as the Instruction has it: this proxy, its peers, and where they are."""
from typing import NamedTuple

from swift_lb.config import InvalidError
from swift_lb.model import CRITICAL, REJECTED, UP, Backend
from swift_lb.replica_options import target_key

ANSWERING = (UP, REJECTED, CRITICAL)    # may be asked; the policy knows what to think of the latter


class View(NamedTuple):
    """What one Instruction says of whom."""

    here: Backend | None    # this proxy, None: the Instruction does not know it
    parts: dict             # Backend -> Part, of those that may be asked, this proxy included
    peers: list             # the same without this proxy
    states: dict            # Backend -> state, of all
    addresses: frozenset    # ips of all


NOBODY = View(None, {}, [], {}, frozenset())


def view(instruction, node):
    """Return the View of `instruction` that the node called `node` has.

    In a panic who is over a threshold is treated as up, as by DNS: the thresholds are wrong, or all
    have as much to do, and who has less is seen by what is expected.
    """
    parts, states, here = {}, {}, None
    for part in instruction.parts:
        backend = backend_of(part)
        if backend is None:
            continue
        states[backend] = part.state
        if part.node == node:
            here = backend
        if part.node == node or part.state in ANSWERING:
            parts[backend] = part._replace(state=UP) if (
                instruction.panic and part.state in ANSWERING) else part
    return View(here, parts, [one for one in parts if one != here], states,
                frozenset(backend.ip for backend in states))


def backend_of(part):
    """Return the Backend of a Part, None if it does not say where its proxy is."""
    try:
        ip, port = target_key(part.proxy)
    except (InvalidError, ValueError):
        return None
    return Backend(ip, port, part.node)
