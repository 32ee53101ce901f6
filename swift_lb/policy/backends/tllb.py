"""tllb: what the Instruction says this proxy keeps, and others take.

    each place goes to this proxy with probability  keep
                    else to i of those left with    take_i / sum(take)

    keep   of this proxy's NodeInstruction: fraction of the requests it receives that it serves
    take   of the others' NodeInstructions: share of what is delegated, 0: none
    then   who takes nothing, by chance

Figure 3: keep 0.20, take 0.40 and 0.60, of 100 requests 20 stay, 32 and 48 are delegated. Who is
not overloaded keeps all. Both numbers are Equation 3's if the nodes plan by plan/tllb.py; any other
plan's are followed likewise. Without a NodeInstruction of its own, or if nobody
takes, this proxy is first; if it is not known which one it is, all are shared out by take.

Source: Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", 4.2, Equation 3, Figure 3:
the target is "chosen in weighted random manner". The places after the first, for when a target does
not answer, are ours. By an exponential race, as in policy/weighted.py.
"""
from swift_lb.model import Backend, NodeInstruction
from swift_lb.policy.backends.chance import race


class Tllb:
    """Order by keep and take."""

    choices, counts = None, False

    def __init__(self, options):
        pass

    def stays(self, part, here, there):
        """Return whether this proxy is first, whatever a dice says: it keeps all."""
        return part is None or part.keep >= 1.0

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates, each place as the Instruction says."""
        here = snapshot.common.get(Backend)
        takers, others = [], []
        for backend in candidates:
            if backend != here:
                take = self._take(backend, snapshot)
                (takers if take else others).append((race(take, rng), rng.random(), backend))
        found = [backend for _end, _draw, backend in sorted(takers)]
        if here in candidates:
            found.insert(self._place(self._keep(here, snapshot), len(found), rng), here)
        return found + [backend for _end, _draw, backend in sorted(others)]

    def _place(self, keep, takers, rng):
        return next((place for place in range(takers) if rng.random() < keep), takers)

    def _keep(self, here, snapshot):
        part = snapshot.of(here).evidence.get(NodeInstruction)
        return 1.0 if part is None else part.keep

    def _take(self, backend, snapshot):
        part = snapshot.of(backend).evidence.get(NodeInstruction)
        return 0.0 if part is None else part.take

    def knows(self, backend, snapshot, now):
        """Return whether the Instruction has a NodeInstruction for `backend`."""
        return snapshot.of(backend).evidence.get(NodeInstruction) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Say what `backend` keeps, if it is this proxy, else what it takes."""
        here = snapshot.common.get(Backend)
        if not self.knows(backend, snapshot, now):
            return 'no part in the instruction: ' + (
                'serves all it receives' if backend == here else 'is delegated nothing')
        if backend == here:
            return f'this proxy: keeps {self._keep(backend, snapshot):.3g} of what it receives'
        return f'takes {self._take(backend, snapshot):.3g} of what others delegate'
