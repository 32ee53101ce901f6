"""Who is to get new clients, and how many of them: an Instruction -> shares. Pure."""
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from swift_lb.model import CRITICAL, GONE, LATE, REJECTED, UP
from swift_lb.plan.membership import panics
from swift_lb.zone.records import FAMILIES

UNHEARD = 'unheard'                         # no agent has heard of it, or not for long
SUSPECT = (LATE, REJECTED, CRITICAL)        # who may be another in a moment
SILENT = (LATE, GONE)


class Targets(NamedTuple):
    """Shares of new clients."""

    shares: Mapping                         # backend -> fraction, 1 together; who is in
    left_out: Mapping = MappingProxyType({})    # backend -> its state
    panic: bool = False                     # all looked bad, so all are in
    suspect: bool = False                   # a state may be another in a moment

    def document(self):
        """Return it as JSON-ready data."""
        return {'panic': self.panic, 'shares': rounded(self.shares),
                'left_out': dict(self.left_out)}


def targets(instruction, backends, forgiven=()):
    """Return the Targets among `backends`, names in the order of the conf, of an Instruction.

    Without one (None) all have equal shares. A backend that the Instruction does not name is left
    out: its agent has been silent for a minute or longer. Who is `forgiven` is over a threshold
    and in all the same, for now (zone/patience.py). In a panic thresholds count for nothing.
    """
    if instruction is None:
        return Targets(equal(backends))
    parts = {part.node: part for part in instruction.parts}
    states = {name: parts[name].state if name in parts else UNHEARD for name in backends}
    fine = {UP}
    if instruction.panic:
        fine |= {REJECTED, CRITICAL} | (set(SILENT) if blind(states.values()) else set())
    accepted = [name for name in backends if name in forgiven or states[name] in fine]
    panic = instruction.panic or not accepted
    accepted = accepted or list(backends)
    shares = {name: parts[name].dns if name in parts else 0.0 for name in accepted}
    return Targets(normal(shares), {name: state for name, state in states.items()
                                    if name not in shares},
                   panic, any(state in SUSPECT for state in states.values()))


def of_families(instruction, proxies, forgiven=()):
    """Return {family: Targets}; `proxies` are {backend: its address of each family, or None}.

    A family of which nobody has an address has none.
    """
    found = {}
    for number, family in enumerate(FAMILIES):
        backends = [name for name, addresses in proxies.items() if addresses[number]]
        if backends:
            found[family] = targets(instruction, backends, forgiven)
    return found


def is_suspect(found):
    """Return whether a state may soon change, in {family: Targets}."""
    return any(one.suspect for one in found.values())


def blind(states):
    """Return whether most are silent, so that it is more likely that we do not hear them.

    A plan is in panic, too, if most are over their thresholds: who is dead then is dead all the
    same.
    """
    return panics(UP if state in (REJECTED, CRITICAL) else state for state in states
                  if state != UNHEARD)


def rounded(fractions):
    """Return {name: fraction} in as many digits as anybody wants to read."""
    return {name: round(fraction, 6) for name, fraction in fractions.items()}


def equal(backends):
    """Return equal shares."""
    return {name: 1 / len(backends) for name in backends}


def normal(shares):
    """Return shares that are 1 together; who has none gets the mean of the others', 0 is unknown.

    Only in a panic has anybody no share: it was no use to give him one.
    """
    given = [share for share in shares.values() if share > 0]
    if not given:
        return equal(shares)
    usual = sum(given) / len(given)
    filled = {name: share if share > 0 else usual for name, share in shares.items()}
    total = sum(filled.values())
    return {name: share / total for name, share in filled.items()}
