"""The order in which one proxy worker reads an object's replicas."""
import itertools
from operator import itemgetter
from typing import NamedTuple

from swift_lb.model import Node, Snapshot, fast_tuple
from swift_lb.policy import make_policy
from swift_lb.proxy.guard import fails_open
from swift_lb.wire.report import encode_limit


class Decision(NamedTuple):
    """One order, and the facts that it was computed from."""

    at: float            # instant, seconds
    best: list           # Nodes, best first
    tiers: list          # the same, a list for each tier of Swift's read affinity
    nodes: list          # the node dicts in that order
    snapshot: Snapshot


class OrderedNodes(list):
    """The node dicts of an order; `decision` is the Decision behind it."""

    __slots__ = ('decision',)


fields_of = itemgetter(*Node._fields)


def key_of(node):
    """Return the Node (ip, port, device) of one of Swift's node dicts, which may lack a port."""
    try:
        return fast_tuple(Node, fields_of(node))
    except KeyError:    # in Swift's own tests
        return fast_tuple(Node, (node['ip'], node.get('port'), node['device']))


class ReplicaOrder:
    """Order the replicas of reads by the load of their nodes, by the policy of the conf."""

    def __init__(self, options, book, metrics, clock, rng, fall_back):
        """Take {storage policy index or None: ReplicaOptions}; None is for all other indexes.

        `clock` returns seconds (monotonic), `rng` is a random.Random, `fall_back(component)` is a
        Guard's.
        """
        self.options = options
        self.policies = {index: make_policy(chosen) for index, chosen in options.items()}
        self.active = any(chosen.enabled for chosen in options.values())
        self.book, self.metrics, self.clock, self.fall_back = book, metrics, clock, fall_back
        self.last_decisions = {}    # storage policy index -> Decision
        self._rng = rng

    def options_of(self, index):
        """Return the ReplicaOptions of storage policy `index` (None: account and container)."""
        return self.options.get(index) or self.options[None]

    def policy_of(self, index):
        """Return the policy object that orders for storage policy `index`."""
        return self.policies.get(index) or self.policies[None]

    def measures(self, index):
        """Return whether reads of storage policy `index` are ordered and measured at all."""
        options = self.options_of(index)
        return options.enabled and (index is not None or options.account_container)

    def hedges(self, index):
        """Return whether reads of storage policy `index` are hedged."""
        return self.options_of(index).hedge == 'auto'

    @fails_open('order')
    def order(self, nodes, index, tier_of=None):
        """Return the node dicts best first, as OrderedNodes, and count the choice in the book.

        `nodes` come sorted by `tier_of`, Swift's read affinity key, if there is one: then only the
        order within a tier is changed. Every node is returned once. Returns None where Swift's own
        order is to be used. Does not yield.
        """
        if not self.measures(index):
            return None
        decision = self._decide(nodes, index, tier_of)
        best = decision.best
        if best:
            self.last_decisions[index] = decision
            self.book.chosen(best[0], decision.at, best[1:])
            if self.metrics.emits:
                self.metrics.count('choices', self.options_of(index).policy, best[0])
        ordered = OrderedNodes(decision.nodes)
        ordered.decision = decision
        return ordered

    def preview(self, nodes, index, tier_of=None):
        """Return the order that `order` would return, without counting it; may raise."""
        return self._decide(nodes, index, tier_of).nodes if self.measures(index) else nodes

    def _decide(self, nodes, index, tier_of):
        keys = [*map(key_of, nodes)]
        now, snapshot, policy = self.clock(), self.book.snapshot(keys), self.policy_of(index)
        node_of = dict(zip(keys, nodes))    # noqa: B905 `strict` takes longer than all of this line
        if tier_of is not None or len(node_of) < len(nodes):
            tiers, ordered = self._order_tiers(nodes, policy, tier_of, snapshot, now)
            return Decision(now, [*itertools.chain(*tiers)], tiers, ordered, snapshot)
        best = policy.order(keys, snapshot, now, self._rng)
        ordered = [node_of.pop(key) for key in best]  # fails for one that is doubled or new
        if node_of:
            raise ValueError(f'the policy lost {", ".join(map(str, node_of))}')
        return fast_tuple(Decision, (now, best, [best], ordered, snapshot))

    def _order_tiers(self, nodes, policy, tier_of, snapshot, now):
        tiers, ordered = [], []
        for _tier, tier in itertools.groupby(nodes, tier_of or (lambda node: None)):
            by_key = {}
            for node in tier:
                by_key.setdefault(key_of(node), []).append(node)  # a small ring repeats devices
            keys = policy.order(list(by_key), snapshot, now, self._rng)
            tiers.append(keys)
            ordered.extend(node for key in keys for node in by_key.pop(key))
            if by_key:
                raise ValueError(f'the policy lost {", ".join(map(str, by_key))}')
        return tiers, ordered

    @fails_open('limits')
    def limits(self, decision, index):
        """Return {Node: X-Backend-Lb-Limit} of the nodes that may decline in this Decision.

        The last node of each tier may not: the read would fail, or go to a tier further away.
        """
        limits = getattr(self.policy_of(index), 'limits', None)
        if limits is None:
            return {}
        return {node: encode_limit(limit) for tier in decision.tiers
                for node, limit in limits(tier, decision.snapshot, decision.at).items()}
