"""The Instruction as one dispatcher sees it: this proxy, its peers, and their addresses. Pure."""
from typing import NamedTuple

from swift_lb.model import Backend, Instruction


class DispatchView(NamedTuple):
    """What one Instruction says to one proxy's dispatcher: peers, their states and addresses."""

    instruction: Instruction | None     # None: there has not been one yet
    here: Backend | None    # this proxy, None: the Instruction does not name it
    nodes: dict             # Backend -> NodeInstruction, of this proxy and of those it may ask
    peers: list             # the Backends that it may ask
    states: dict            # Backend -> state, of all
    addresses: frozenset    # ips of all


EMPTY = DispatchView(None, None, {}, [], {}, frozenset())


def view(instruction, node, address_of):
    """Return the DispatchView of an Instruction for the proxy on the node called `node`.

    `address_of(text)` returns (ip, port) of the `proxy` of a NodeInstruction; a node for which it
    raises ValueError is left out. In a panic, all nodes that may be asked have the state up.
    """
    nodes, states, here = {}, {}, None
    for one in instruction.nodes:
        try:
            ip, port = address_of(one.proxy)
        except ValueError:
            continue
        backend = Backend(ip, port, one.node)
        states[backend] = one.state
        if one.node == node:
            here = backend
        if one.node in instruction.askable:
            nodes[backend] = one._replace(state=instruction.askable[one.node])
        elif one.node == node:
            nodes[backend] = one
    return DispatchView(instruction, here, nodes, [one for one in nodes if one != here], states,
                frozenset(backend.ip for backend in states))
