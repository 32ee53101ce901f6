"""Which nodes DNS answers with, and with what shares: made of an Instruction. Pure.

The Instruction says which nodes are in DNS (plan/decision.py). A node over a load threshold is left
out only after it has been over it for a TTL without a break (OverloadDelay).
"""
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from swift_lb.model import CRITICAL, LATE, REJECTED, UP
from swift_lb.zone.records import FAMILIES

UNHEARD = 'unheard'                         # the state of a node that the Instruction does not name
SUSPECT = (LATE, REJECTED, CRITICAL)        # states that often last for some seconds only


class Targets(NamedTuple):
    """The shares of new clients by which DNS answers, and the backends that it leaves out."""

    shares: Mapping                         # backend -> fraction, 1 together; of those in DNS
    left_out: Mapping = MappingProxyType({})    # backend -> its state
    panic: bool = False                     # the Instruction's: most nodes look bad
    all_in: bool = False                    # none of the backends was fit, so that all are in
    suspect: bool = False                   # a state may soon change

    def document(self):
        """Return {panic, shares, left_out} for JSON.

        `panic` is also true if every backend was to be left out, so that all are in.
        """
        return {'panic': self.panic or self.all_in, 'shares': rounded(self.shares),
                'left_out': dict(self.left_out)}


def targets(instruction, backends, tolerated=()):
    """Return the Targets among `backends`, names in the order of the conf.

    Without an Instruction (None) all have equal shares. A backend that the Instruction does not
    name is left out: its agent has been silent for a minute or longer. Names in `tolerated` stay in
    DNS although they are over a load threshold. If no backend were left, all are in DNS.
    """
    if instruction is None:
        return Targets(equal(backends))
    nodes = {node.node: node for node in instruction.nodes}
    states = {name: nodes[name].state if name in nodes else UNHEARD for name in backends}
    accepted = [name for name in backends if name in tolerated or name in instruction.in_dns]
    shares = {name: nodes[name].dns if name in nodes else 0.0 for name in accepted or backends}
    left_out = {name: state for name, state in states.items() if name not in shares}
    return Targets(normal(shares), left_out, instruction.panic, not accepted,
                   any(state in SUSPECT for state in states.values()))


def of_families(instruction, proxies, tolerated=()):
    """Return {address family: Targets}; a family in which no proxy has an address is absent.

    `proxies` is {backend: (its IPv4 address or None, its IPv6 address or None)}; `instruction` and
    `tolerated` are those of targets().
    """
    families = {}
    for number, family in enumerate(FAMILIES):
        backends = [name for name, addresses in proxies.items() if addresses[number]]
        if backends:
            families[family] = targets(instruction, backends, tolerated)
    return families


def is_suspect(families):
    """Return whether any Targets in {family: Targets} say that a node's state may soon change."""
    return any(one.suspect for one in families.values())


def rounded(fractions):
    """Return {name: fraction} with fractions rounded to six digits."""
    return {name: round(fraction, 6) for name, fraction in fractions.items()}


def equal(backends):
    """Return {name: share} in which all `backends` have equal shares with the sum 1."""
    return {name: 1 / len(backends) for name in backends}


def normal(shares):
    """Return `shares` scaled to the sum 1, after each 0 has become the mean of positive ones.

    A share of 0 is unknown: in a panic, a node that was to get no clients is in DNS all the same.
    """
    given = [share for share in shares.values() if share > 0]
    if not given:
        return equal(shares)
    mean = sum(given) / len(given)
    filled = {name: share if share > 0 else mean for name, share in shares.items()}
    total = sum(filled.values())
    return {name: share / total for name, share in filled.items()}


class OverloadDelay:
    """Keeps since when each node has been over a threshold, so that it stays in DNS for a TTL.

    An overload comes and goes within seconds, and an answer is kept for a TTL. When nodes were left
    out at once, they came and went with each TTL: where one resolver asks for all clients, wrong
    thresholds (as in Cygnus' Figure 10) cost 0.2 to 0.45 of the throughput of round robin, and
    shares rose and fell several hundred times in ten minutes. After a TTL the effect of earlier
    answers is visible, and dispatchers have done what they can. A node that is still over its
    threshold is left out then, and is back as soon as it is below: a TTL later the other nodes
    would be over theirs.

    In a panic thresholds do not count, so the TTL starts anew after it. A restart does not re-admit
    an overloaded node: nodes over a threshold in the first Instruction are left out at once.
    """

    def __init__(self, seconds):
        """Take the delay in seconds, a TTL; 0 leaves out nodes over a threshold at once."""
        self._seconds, self._since, self._begun = seconds, {}, False

    def tolerated(self, instruction, now):
        """Return the names of the nodes that are over a threshold and still in DNS.

        To be called with each Instruction, or None; `now` is in seconds of a monotonic clock.
        """
        since, self._begun = now if self._begun else -math.inf, True
        overloaded = [] if instruction is None else [
            name for name, state in instruction.askable.items() if state != UP]
        self._since = {name: self._since.get(name, since) for name in overloaded}
        return frozenset(name for name, since in self._since.items() if now - since < self._seconds)
