"""least_loaded: the proxy that the Instruction says has the least load.

    cost = load

    load   of the backend's NodeInstruction: what the plan judged it by, in the unit of its metric

Source: Piorkowski et al., 2.1, "Least Loaded", there without a system and without a measure of
load; so it is the one that all nodes have agreed on. It is as old as the Instruction,
some seconds, and all dispatchers have the same: all of them go to the same proxy until the next
one, which is why `tllb` shares out and `adaptive` does not go by it. A load that is not known
comes after all that are.
"""
from swift_lb.model import NodeInstruction
from swift_lb.policy.costed import Costed


class LeastLoaded(Costed):
    """Order by load."""

    choices, counts = None, False

    def cost(self, backend, snapshot, now):
        """Return the load of those that have one, the others after them."""
        part = snapshot.of(backend).evidence.get(NodeInstruction)
        return (1, 0.0) if part is None or part.load is None else (0, part.load)

    def knows(self, backend, snapshot, now):
        """Return whether the Instruction says a load of `backend`."""
        part = snapshot.of(backend).evidence.get(NodeInstruction)
        return part is not None and part.load is not None

    def reason(self, backend, snapshot, now):
        """Say it."""
        return f'load {snapshot.of(backend).evidence[NodeInstruction].load:.3g}'

    def unknown(self, backend, snapshot):
        """Say where the unknown stand."""
        return 'tried after all whose load is known'
