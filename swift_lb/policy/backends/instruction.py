"""The policies that follow the Instruction: the load, the states and the shares that it carries.

    least_loaded          cost = load

    cygnus_least_loaded   cost = load       NEAR: of loads that differ by less than 1 % either may
                                            be first
                          rejected backends come after these, by load; critical ones last, by load

    tllb                  each place goes to this proxy with probability  keep
                          else to backend i of those left with probability  take_i / sum(take)
                          backends with take 0 come last, at random

    load       of the backend's NodeInstruction: the metric by which the plan judged it, in its unit
    rejected   the NodeInstruction's state: load >= reject threshold, "will avoid selecting"
    critical   the NodeInstruction's state: load >= critical threshold, is to shed load
    keep       of this proxy's NodeInstruction: fraction of the requests it receives that it serves
    take       of a peer's NodeInstruction: share of the delegated requests, 0: none

`least_loaded`: Piorkowski et al., 2.1, "Least Loaded", which names neither a system nor a measure
of load; so this uses the load on which all nodes have agreed. It is as old as the Instruction, some
seconds, and the same for all dispatchers: all choose the same proxy until the next Instruction,
which is why `tllb` draws at random and `adaptive` does not use this load. Backends of unknown load
come last.

`cygnus_least_loaded`: Othman, Balasubramanian, Schmidt, "Performance Evaluation of an Adaptive
Middleware Load Balancing and Monitoring Service" (Cygnus), 3.3 and 3.4; NEAR is that of its code,
TAO's LB_LeastLoaded (LL_DEFAULT_LOAD_PERCENT_DIFF_CUTOFF), which takes one of two near at random.
Thresholds and dampening are not computed here: agents dampen what they report (plan/smoothing.py),
and the plan's verdict is the state, so that all dispatchers have the same. If all are rejected,
Cygnus makes clients wait; here the least loaded of them is first.

`tllb`: Wrzeszcz et al., "Two-Layer Load Balancing for Onedata System", 4.2, Equation 3, Figure 3:
the target is "chosen in weighted random manner". Figure 3: keep 0.20, take 0.40 and 0.60, of 100
requests 20 stay, 32 and 48 are delegated. A proxy that is not overloaded keeps all. keep and take
are Equation 3's if the nodes plan by plan/tllb.py; those of any other plan are followed likewise.
Without a NodeInstruction of its own, or if no backend takes, this proxy is first; if none of the
candidates is this proxy, all are shared out by take. The places after the first, used
when a target does not answer, are ours. By an exponential race, as Weighted in policy/lb_rlt.py.
"""
from swift_lb.model import CRITICAL, REJECTED, Backend, NodeInstruction
from swift_lb.policy.backends.weights import by_cost, nearly, race
from swift_lb.policy.cost import LowestCost

NEAR = 0.01
BEHIND = {REJECTED: 1, CRITICAL: 2}


class LeastLoaded(LowestCost):
    """Order by the load that the Instruction carries, unknown loads last."""

    choices, counts = None, False

    def cost(self, backend, snapshot, now):
        """Return (0, load) of `backend`, or (1, 0.0), which is behind, if its load is not known."""
        instructed = snapshot.of(backend).evidence.get(NodeInstruction)
        return (1, 0.0) if instructed is None or instructed.load is None else (0, instructed.load)

    def knows(self, backend, snapshot, now):
        """Return whether the Instruction has a load of `backend`."""
        unknown, _load = self.cost(backend, snapshot, now)
        return not unknown

    def _reason(self, backend, snapshot, now):
        return f'load {snapshot.of(backend).evidence[NodeInstruction].load:.3g}'

    def _unknown(self, backend, snapshot):
        return 'tried after all whose load is known'


class CygnusLeastLoaded(LeastLoaded):
    """Order by load, but rejected backends behind all others, and critical ones last."""

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates by load, those up before rejected ones, critical ones last."""
        return by_cost({backend: self._rank(snapshot.of(backend).evidence.get(NodeInstruction), rng)
                        for backend in candidates}, rng)

    def _rank(self, instructed, rng):
        behind = BEHIND.get(instructed.state, 0) if instructed else 0
        if instructed is None or instructed.load is None:
            return behind, 1, 0.0
        return behind, 0, nearly(instructed.load, NEAR, rng)

    def explain(self, backend, candidates, snapshot, now):
        """Return, as text, the load of `backend`, and its state if that is rejected or critical."""
        reason = super().explain(backend, candidates, snapshot, now)
        instructed = snapshot.of(backend).evidence.get(NodeInstruction)
        if instructed is None or instructed.state not in BEHIND:
            return reason
        return f'{instructed.state}, behind those that are not: {reason}'


class Tllb:
    """Order at random, by the shares of requests that the Instruction gives to each proxy."""

    choices, counts = None, False

    def __init__(self, options):
        pass

    def stays(self, own, here, elsewhere):
        """Return whether `own`, this proxy's NodeInstruction, keeps all requests; True if None."""
        return own is None or own.keep >= 1.0

    def order(self, candidates, snapshot, now, rng):
        """Return the candidates in random order, by this proxy's `keep` and the peers' `take`."""
        here = snapshot.common.get(Backend)
        takers, others = [], []
        for backend in candidates:
            if backend != here:
                take = self._take(backend, snapshot)
                (takers if take else others).append((race(take, rng), rng.random(), backend))
        ordered = [backend for _end, _draw, backend in sorted(takers)]
        if here in candidates:
            ordered.insert(self._place(self._keep(here, snapshot), len(ordered), rng), here)
        return ordered + [backend for _end, _draw, backend in sorted(others)]

    def _place(self, keep, takers, rng):
        return next((place for place in range(takers) if rng.random() < keep), takers)

    def _keep(self, here, snapshot):
        own = snapshot.of(here).evidence.get(NodeInstruction)
        return 1.0 if own is None else own.keep

    def _take(self, backend, snapshot):
        instructed = snapshot.of(backend).evidence.get(NodeInstruction)
        return 0.0 if instructed is None else instructed.take

    def knows(self, backend, snapshot, now):
        """Return whether the Instruction has a NodeInstruction for `backend`."""
        return snapshot.of(backend).evidence.get(NodeInstruction) is not None

    def explain(self, backend, candidates, snapshot, now):
        """Return, as text, the share of requests that the Instruction gives to `backend`.

        This proxy has a share of those that it receives, a peer of those that are delegated.
        """
        here = snapshot.common.get(Backend)
        if not self.knows(backend, snapshot, now):
            return 'no part in the instruction: ' + (
                'serves all it receives' if backend == here else 'is delegated nothing')
        if backend == here:
            return f'this proxy: keeps {self._keep(backend, snapshot):.3g} of what it receives'
        return f'takes {self._take(backend, snapshot):.3g} of what others delegate'
