"""Compute the order in which a worker of a proxy reads the replicas of an object."""
import itertools
from operator import itemgetter
from typing import NamedTuple

from swift_lb.model import Node, Snapshot, fast_tuple
from swift_lb.policy import make_policy
from swift_lb.proxy.guard import fails_open
from swift_lb.wire.report import encode_limit


class Decision(NamedTuple):
    """The order of one read's nodes, and the Snapshot from which it was computed."""

    at: float            # instant, seconds
    best: list           # Nodes, best first
    tiers: list          # the same, a list for each tier of Swift's read affinity
    nodes: list          # the node dicts in that order
    snapshot: Snapshot


class OrderedNodes(list):
    """A list of node dicts, best first; `decision` is the Decision that ordered them."""

    __slots__ = ('decision',)


fields_of = itemgetter(*Node._fields)


def key_of(node):
    """Return the Node (ip, port, device) of one of Swift's node dicts; port is None without one."""
    try:
        return fast_tuple(Node, fields_of(node))
    except KeyError:    # in Swift's own tests
        return fast_tuple(Node, (node['ip'], node.get('port'), node['device']))


class ReplicaOrder:
    """Orders the replicas of each read by the policy of the conf and the load of their nodes."""

    def __init__(self, options, book, metrics, clock, rng, fall_back):
        """`options` is {storage policy index: ReplicaOptions}; the key None holds for all others.

        `book` is the LoadBook, `metrics` counts choices, `clock()` returns seconds (monotonic),
        `rng` is a random.Random, `fall_back(component)` reports a component that has failed.
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
        """Return the replica policy, such as adaptive, that orders for storage policy `index`."""
        return self.policies.get(index) or self.policies[None]

    def measures(self, index):
        """Return whether the conf lets reads of storage policy `index` be ordered and measured.

        The index None stands for reads of accounts and containers.
        """
        options = self.options_of(index)
        return options.enabled and (index is not None or options.account_container)

    def hedges(self, index):
        """Return whether reads of storage policy `index` are hedged."""
        return self.options_of(index).hedge == 'auto'

    @fails_open('order')
    def order(self, nodes, index, tier_of=None):
        """Return `nodes`, best first, as OrderedNodes, and count the choice in the LoadBook.

        With `tier_of`, Swift's sort key of read affinity, `nodes` come sorted by it, and only the
        order within each tier is changed. Returns None if Swift's own order is to be used. Does not
        switch greenthreads.
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
        """Return the node dicts in the order of order(), or `nodes` where that returns None.

        Counts no choice. Raises what the policy raises, where order() falls back to Swift.
        """
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
        """Return {Node: X-Backend-Lb-Limit} of the nodes in `decision` that may decline the read.

        The last node of each tier may not decline: the read would fail, or go to a farther tier.
        """
        limits = getattr(self.policy_of(index), 'limits', None)
        if limits is None:
            return {}
        return {node: encode_limit(limit) for tier in decision.tiers
                for node, limit in limits(tier, decision.snapshot, decision.at).items()}
