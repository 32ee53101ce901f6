"""Dispatchers that go by expected times, the default ones: policy `adaptive`, its code and all.

Each node has the Curve of its own times, and an Outlook of each other, from what that has said with
its last answer and from the Instruction, as swift_lb/proxy/dispatch does it. Not as there: a node
has one worker that has all its requests; all of them are of the class `small`; and who hangs is
asked until it is late, by whom it does not answer.
"""
from collections import Counter
from typing import NamedTuple

from swift_lb.dispatch.curve import Curve
from swift_lb.dispatch.outlook import Load, Outlook
from swift_lb.model import (
    CRITICAL,
    REJECTED,
    UP,
    Backend,
    Forecast,
    Instruction,
    NodeLoad,
    Part,
    Snapshot,
)
from swift_lb.policy.backends import make_backend_policy
from swift_lb.sim.loop.dispatcher import Dispatchers

ASKED = (UP, REJECTED, CRITICAL)


class View(NamedTuple):
    """What a node has of its Instruction."""

    instruction: Instruction
    parts: dict         # Backend -> Part, of this node and of those that may be asked
    peers: list         # of the latter, Backends


class Expected(Dispatchers):
    """Whom `adaptive` puts first."""

    def __init__(self, agenda, rng, proxies, setting):
        super().__init__(agenda, rng, proxies, setting)
        self._policy = make_backend_policy('adaptive')
        self._backends = {name: Backend(name, 8080, name) for name in proxies}
        self._curves = {name: Curve() for name in proxies}
        self._outlooks = {name: {other: Outlook() for other in proxies} for name in proxies}
        self._asked = {name: Counter() for name in proxies}     # in flight there, of this node
        self._views = {}

    def whom(self, name, instruction):
        """Compare this node and some others, drawn at random."""
        view, now = self._view(name, instruction), self.agenda.now
        expected = self._curves[name].expected(self.proxies[name].in_flight, now)
        if expected is None or not view.peers:
            return name
        here, wanted = self._backends[name], self._policy.choices
        drawn = self.rng.sample(view.peers, wanted) if len(view.peers) > wanted else view.peers
        loads = {here: known(view.parts.get(here), Forecast(expected, 0.0))}
        for peer in drawn:
            loads[peer] = known(view.parts[peer], self._outlooks[name][peer.name].forecast(
                self._asked[name][peer.name], now, self._curves[name].usual))
        snapshot = Snapshot(loads, common={Backend: here})
        return self._policy.order([*loads], snapshot, now, self.rng)[0].name

    def begun(self, name, taker):
        """Count what is asked of a peer."""
        self._asked[name][taker] += 1

    def over(self, request, served):
        """Learn how long it took; who has handed it on hears how loaded the other is."""
        super().over(request, served)
        now, taker = self.agenda.now, request.served_by
        curve, took = self._curves[taker], now - request.came_at
        curve.came(now)
        if served:
            curve.add(request.before, took, now)
        if request.delegated:
            asked = self._asked[request.received_by]
            asked[taker] -= 1
            if served:
                outlook = self._outlooks[request.received_by][taker]
                outlook.heard(self._load(taker, took), asked[taker], now)
                outlook.answered(now - request.handed_at, took, now)

    def _load(self, name, took):
        there, now = self.proxies[name].in_flight, self.agenda.now
        expected = self._curves[name].expected(there, now)
        return Load(there, took, 0.0) if expected is None else Load(
            there, expected, self._curves[name].step(there, now))

    def _view(self, name, instruction):
        view = self._views.get(name)
        if view is None or view.instruction is not instruction:
            parts = {} if instruction is None else {
                self._backends[part.node]: part._replace(
                    state=UP if instruction.panic and part.state in ASKED else part.state)
                for part in instruction.parts if part.state in ASKED or part.node == name}
            here = self._backends[name]
            view = self._views[name] = View(instruction, parts, [
                peer for peer in parts if peer != here])
            for peer in view.peers:
                self._outlooks[name][peer.name].told(parts[peer], parts.get(here))
        return view


def known(part, forecast):
    """Return the NodeLoad of what is known of a backend."""
    return NodeLoad(evidence={kind: value for kind, value in ((Part, part), (Forecast, forecast))
                              if value is not None})
