"""The nodes that a getter asks, in order; a node that declines a read is asked again later.

A primary that declines is asked again, without X-Backend-Lb-Limit, when no other primary is left
and before any handoff. So an object, or its deletion, that only this primary knows is not missed.
"""
from swift_lb.proxy.hedging import Race
from swift_lb.proxy.replicas import key_of
from swift_lb.wire.report import DECLINED

TOO_MANY_REQUESTS = 429


class MeasuredNode(dict):
    """A node dict, equal to Swift's, with attributes about one request that is sent to the node."""

    read = limit = None   # its load.Read; the X-Backend-Lb-Limit it is asked with
    race = None           # the Race that it is asked in
    declined = False
    is_hedge = False      # whether it was asked while another node was late

    def note_answer(self, status, header):
        """Set `declined`: the node had a `limit`, and answers 429 with X-Backend-Lb-Declined.

        `status` is the answer's; header(name) returns the value of a header of it, or None.
        """
        self.declined = (self.limit is not None and status == TOO_MANY_REQUESTS
                         and header(DECLINED) is not None)


class MeasuredNodes:
    """Replaces Swift's NodeIter: yields MeasuredNodes, each when the Race lets Swift ask it."""

    def __init__(self, node_iter, limits, primary_left):
        """Take Swift's NodeIter, and `limits`, {Node: X-Backend-Lb-Limit of the first request}.

        primary_left() returns whether the NodeIter has still to give a primary.
        """
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
        """Queue a node that declined for another request; return False if the iteration is over."""
        if not self._exhausted:
            self.declined.append(MeasuredNode(node))
        return not self._exhausted

    def keep(self, node):
        """Queue a node that did not answer first: it is asked if the first answer breaks off."""
        if node not in self.declined:
            self.declined.append(MeasuredNode(node))

    def drop(self, node):
        """Remove a node from the queue: its late answer says that it does not have the object."""
        if node in self.declined:
            self.declined.remove(node)


class Primaries:
    """The primaries that Swift's NodeIter has not given yet, and the Decision of their order.

    It has no reference to the getter, since a cycle would keep the getter in memory after its read.
    """

    def __init__(self, node_iter, is_limited):
        """`is_limited(node)` returns whether a node dict is error limited."""
        self._node_iter, self._is_limited = node_iter, is_limited
        self.decision = getattr(getattr(node_iter, 'primary_nodes', None), 'decision', None)

    def left(self):
        """Return whether NodeIter has still to give a primary that is not error limited."""
        return self._next() is not None

    def spare(self, first, declined=()):
        """Return the node dict to ask as a hedge if the node dict `first` is late, or None.

        It is the node that MeasuredNodes gives next: a primary or, if none is left, the first of
        `declined`, the nodes that declined this read. None if it is in another tier of Swift's read
        affinity than `first`, or if asking it now could make NodeIter skip a primary later:
        NodeIter gives one more node if the last one has become error limited, and `first` has not
        answered yet. (A handoff may still be skipped, if `first` answers 507 afterwards.)
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
    """Remove the last answer that declined from a getter's four lists, in place, if there is one.

    The lists have an entry for each answer; an entry of `headers` is a list of (name, value).
    Swift appends reason and status together, and headers and body together. Between these two
    steps another greenthread may append, so the answer may be at different positions.
    """
    too_many = [status == TOO_MANY_REQUESTS for status in statuses]
    declining = [any(name.lower() == DECLINED.lower() for name, _value in each) for each in headers]
    for matches, lists in ((too_many, (statuses, reasons)), (declining, (bodies, headers))):
        if True in matches:
            last = len(matches) - 1 - matches[::-1].index(True)
            for each in lists:
                del each[last]
