"""The nodes that a getter asks: each knows its read, and those that decline come again.

A getter's race (hedging.py) may make it wait for its next node, or have it ask no other.

A primary that declines is asked again, without a limit, when no other primary is left and before
any handoff. So what it alone knows, the object or that it has been deleted, is not lost.
"""
from swift_lb.proxy.hedging import Race
from swift_lb.proxy.replicas import key_of
from swift_lb.wire.report import DECLINED

TOO_MANY_REQUESTS = 429


class MeasuredNode(dict):
    """One of Swift's node dicts, equal to it, that knows the Read made of it."""

    read = limit = None   # limit: the X-Backend-Lb-Limit it is asked with
    race = None           # the search for a source that it is asked in
    declined = False
    is_hedge = False      # whether it was asked while another was late

    def hear(self, status, header):
        """Note the status of an answer, and by the function `header` whether it declines."""
        self.declined = (self.limit is not None and status == TOO_MANY_REQUESTS
                         and header(DECLINED) is not None)


class MeasuredNodes:
    """Iterate over Swift's NodeIter, making its nodes MeasuredNodes."""

    def __init__(self, node_iter, limits, primary_left):
        """`limits` is ReplicaOrder's; `primary_left()`: is another primary to come?"""
        self._node_iter, self._limits, self._primary_left = node_iter, limits, primary_left
        self._nodes, self._declined, self._exhausted = None, [], False
        self.race = Race()

    def __iter__(self):
        if self._nodes is not None:  # Swift re-iterates when it resumes a read: that has waited
            self._limits = {}
        self._nodes, self._exhausted = iter(self._node_iter), False
        return self

    def __next__(self):
        made = None if self.race.is_over() else self._take()
        if made is None:
            self._exhausted = True
            raise StopIteration
        made.race = self.race
        made.race.asked(made)
        return made

    def _take(self):
        ask_on = not self._declined or self._primary_left()
        node = next(self._nodes, None) if ask_on else None
        if node is None:
            return self._declined.pop(0) if self._declined else None
        made = MeasuredNode(node)
        if self._limits:
            made.limit = self._limits.get(key_of(node))
        return made

    @property
    def declined(self):
        """The nodes that have declined and come again, in their order."""
        return self._declined

    def again(self, node):
        """Let a node that has declined come again.

        Returns False if it will not, because others were asked at the same time, and Swift has
        asked for the last of them meanwhile.
        """
        if not self._exhausted:
            self._declined.append(MeasuredNode(node))
        return not self._exhausted

    def keep(self, node):
        """Let a node that has lost a race, or is about to, come again, if the winner breaks off."""
        if node not in self._declined:
            self._declined.append(MeasuredNode(node))

    def drop(self, node):
        """Let it come no more: it has answered late, and has nothing."""
        if node in self._declined:
            self._declined.remove(node)


class Primaries:
    """The primaries that Swift's NodeIter has yet to give.

    It knows no getter: one that is kept by what it keeps itself is not gone with its last read.
    """

    def __init__(self, node_iter, limited):
        """`limited(node)`: is a node dict error limited?"""
        self._swifts, self._limited = node_iter, limited
        self.arranged = getattr(getattr(node_iter, 'primary_nodes', None), 'arranged', None)

    def left(self):
        """Return whether there is one."""
        return self._next() is not None

    def spare(self, first, declined=()):
        """Return the node dict to hedge a read of `first` with: what MeasuredNodes gives next.

        With no primary to come, that is the first of `declined`. None where it is in another tier
        of Swift's read affinity, and where asking it now might lose a primary for later: NodeIter
        asks one more for each that is error limited, if it knows when it goes on. (A handoff it may
        lose: where the first answers 507 after all.)
        """
        nodes, second = self._swifts, self._next()
        if second is None:
            second = declined[0] if declined else None
        elif nodes.nodes_left <= len(nodes.primary_nodes):
            return None
        return second if second is not None and self._in_one_tier(first, second) else None

    def _in_one_tier(self, first, second):
        first, second = key_of(first), key_of(second)
        for tier in self.arranged.tiers:
            if first in tier:
                return second in tier
        return False

    def _next(self):
        for node in self._swifts.primary_nodes:
            if not self._limited(node):
                return node
        return None


def take_back(statuses, reasons, bodies, headers):
    """Remove the last answer that declined from a getter's lists, of an answer each.

    Reason follows status at once, and headers body; between the two, a read of the body may let
    another greenthread in, whose answers are then not in line.
    """
    asked = [status == TOO_MANY_REQUESTS for status in statuses]
    answered = [any(name.lower() == DECLINED.lower() for name, _value in each) for each in headers]
    for found, lists in ((asked, (statuses, reasons)), (answered, (bodies, headers))):
        if True in found:
            last = len(found) - 1 - found[::-1].index(True)
            for each in lists:
                del each[last]
