"""The nodes that a getter asks: each carries its read, and nodes that decline are asked again.

A primary that declines is asked again, without a limit, when no other primary is left and before
any handoff. So what it alone knows, the object or its deletion, is not lost.
"""
from swift_lb.proxy.hedging import Race
from swift_lb.proxy.replicas import key_of
from swift_lb.wire.report import DECLINED

TOO_MANY_REQUESTS = 429


class MeasuredNode(dict):
    """One of Swift's node dicts, equal to it, with what belongs to one request to it."""

    read = limit = None   # its load.Read; the X-Backend-Lb-Limit it is asked with
    race = None           # the Race that it is asked in
    declined = False
    is_hedge = False      # whether it was asked while another node was late

    def note_answer(self, status, header):
        """Set `declined` from the status of an answer; `header(name)` returns a header's value."""
        self.declined = (self.limit is not None and status == TOO_MANY_REQUESTS
                         and header(DECLINED) is not None)


class MeasuredNodes:
    """Swift's NodeIter with MeasuredNodes; its `race` may make next() block, or end it."""

    def __init__(self, node_iter, limits, primary_left):
        """`limits` are of ReplicaOrder.limits; `primary_left()`: is a primary still to come?"""
        self._node_iter, self._limits, self._primary_left = node_iter, limits, primary_left
        self._nodes, self._exhausted = None, False
        self.declined = []      # MeasuredNodes that are to be asked again, in this order
        self.race = Race()

    def __iter__(self):
        if self._nodes is not None:  # Swift iterates again when it resumes a read
            self._limits = {}        # that read has waited already: no node may decline it
        self._nodes, self._exhausted = iter(self._node_iter), False
        return self

    def __next__(self):
        node = self._take() if self.race.wait_for_next() else None
        if node is None:
            self._exhausted = True
            raise StopIteration
        node.race = self.race
        node.race.started(node)
        return node

    def _take(self):
        from_swift = not self.declined or self._primary_left()
        given = next(self._nodes, None) if from_swift else None
        if given is None:
            return self.declined.pop(0) if self.declined else None
        node = MeasuredNode(given)
        if self._limits:
            node.limit = self._limits.get(key_of(given))
        return node

    def ask_again(self, node):
        """Queue a node that declined for a second request; False if Swift has the last already."""
        if not self._exhausted:
            self.declined.append(MeasuredNode(node))
        return not self._exhausted

    def keep(self, node):
        """Queue a node that loses a race: it is asked again if the winner's answer breaks off."""
        if node not in self.declined:
            self.declined.append(MeasuredNode(node))

    def drop(self, node):
        """Take a node out of the queue: it has answered late, and has no object."""
        if node in self.declined:
            self.declined.remove(node)


class Primaries:
    """The primaries that Swift's NodeIter has yet to give, and the Decision of their order.

    It has no reference to the getter: a cycle would keep the getter beyond its read.
    """

    def __init__(self, node_iter, is_limited):
        """`is_limited(node)` returns whether a node dict is error limited."""
        self._node_iter, self._is_limited = node_iter, is_limited
        self.decision = getattr(getattr(node_iter, 'primary_nodes', None), 'decision', None)

    def left(self):
        """Return whether a primary is still to come that is not error limited."""
        return self._next() is not None

    def spare(self, first, declined=()):
        """Return the node dict to hedge a read of `first` with: what MeasuredNodes gives next.

        With no primary to come, that is the first of `declined`. None where it is in another tier
        of Swift's read affinity, and where asking it now could lose a primary for later: NodeIter
        gives one more node for each that is error limited when it goes on. (A handoff may still be
        lost, where the first answers 507 after all.)
        """
        swifts, second = self._node_iter, self._next()
        if second is None:
            second = declined[0] if declined else None
        elif swifts.nodes_left <= len(swifts.primary_nodes):
            return None
        return second if second is not None and self._in_one_tier(first, second) else None

    def _in_one_tier(self, first, second):
        first, second = key_of(first), key_of(second)
        for tier in self.decision.tiers:
            if first in tier:
                return second in tier
        return False

    def _next(self):
        for node in self._node_iter.primary_nodes:
            if not self._is_limited(node):
                return node
        return None


def take_back(statuses, reasons, bodies, headers):
    """Remove from a getter's four lists of answers the last one with which a node declined.

    Swift appends reason and status together, and headers and body together; between the two, a read
    of the body may let another greenthread append, so the positions may differ.
    """
    too_many = [status == TOO_MANY_REQUESTS for status in statuses]
    declining = [any(name.lower() == DECLINED.lower() for name, _value in each) for each in headers]
    for matches, lists in ((too_many, (statuses, reasons)), (declining, (bodies, headers))):
        if True in matches:
            last = len(matches) - 1 - matches[::-1].index(True)
            for each in lists:
                del each[last]
