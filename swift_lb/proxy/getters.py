"""What swift-lb does to Swift's getters, which seam.py mixes into subclasses of them.

How a read is followed. The node dicts a getter tries are MeasuredNodes: equal to Swift's own, with
a place for the Read. Swift hands that very object to set_node_timing, to its error hooks and to the
GetterSource, so credit and blame find the read they belong to, on resumed reads too.

How a node declines (wire/report.py). NodeIter keeps the Ordered list that sort_nodes returns, and
so the getter finds what the limits rest on. What a node that declines has left in the getter's
bookkeeping is taken back, and the node comes again, without a limit, before any handoff.

How a read is hedged (hedging.py). Swift's loop is run as with concurrent_gets, for two nodes and a
delay that it reads from the policy's options; it waits where it asks for the next node.
"""
from contextvars import ContextVar
from functools import partial

from swift.common.storage_policy import REPL_POLICY

from swift_lb.proxy.hedging import HEDGED, HedgedRace, Hurried, Race, size_class_of
from swift_lb.proxy.measure import MeasuredPart
from swift_lb.proxy.nodes import MeasuredNode, MeasuredNodes, Primaries, take_back
from swift_lb.wire.report import LIMIT, LOAD

_race = ContextVar('swift_lb_race', default=None)   # the HedgedRace this greenthread's loop runs


def in_a_race(options):
    """Return the options of a storage policy as the loop of a HedgedRace is to see them."""
    race = _race.get()
    return options if race is None else Hurried(options, race.delay)


class MeasuredGetter:
    """What a getter of replicas and one of fragments have in common."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.node_iter = MeasuredNodes(self.node_iter, *self._declining())
        asked = self.req.range
        self.size_class = size_class_of(self.req.method, asked.ranges if asked else ())

    def _declining(self):
        return {}, None

    def _make_node_request(self, node, *args):
        replicas = self.app.replicas
        read = node.read = replicas.begin(node, self.policy and self.policy.idx, self.size_class)
        self.backend_headers.pop(LIMIT, None)   # last: Swift copies them before anything yields
        if node.limit is not None:
            self.backend_headers[LIMIT] = node.limit
        result = super()._make_node_request(node, *args)
        if read is not None:
            resp = self._response_from(node, result)
            if resp is None:    # a 404, what the error hooks have blamed, anything of a handoff
                answered = not node.declined and 'handoff_index' not in node
                (replicas.refused if answered else replicas.ended)(read)
                return result
            replicas.reported(read, resp.getheader(LOAD))
            if self.req.method == 'GET' and resp.status in (200, 206):
                replicas.head(read)
            else:
                replicas.answered(read)
        return result

    def _get_next_response_part(self):
        start, end, length, headers, part = super()._get_next_response_part()
        read = self.source.node.read
        if read is not None:
            size = None if start is None or end is None else end - start + 1
            part = MeasuredPart(part, read, size, part is self.source.resp, self.app.replicas)
        return start, end, length, headers, part

    def _iter_parts_from_response(self):
        try:
            yield from super()._iter_parts_from_response()
        finally:
            read = self.source.node.read
            if read is not None:
                self.app.replicas.ended(read)


class ReplicaGetter(MeasuredGetter):
    """What is done to Swift's GetOrHeadHandler."""

    _race = None    # the search for a source that is under way
    _hedges = False

    def _declining(self):
        self._primaries = Primaries(self.node_iter, self.app.error_limiter.is_limited)
        arranged = self._primaries.arranged
        if arranged is None or self.newest or self.server_type != 'Object':
            return {}, None
        self._hedges = self._may_hedge()
        limits = self.req.method == 'GET' and self.app.replicas.limits(arranged, self.policy.idx)
        return limits or {}, self._primaries.left

    def _may_hedge(self):
        """Return whether the replicas are of a policy that is hedged by us, and not by Swift."""
        policy = self.policy
        return (self.app.replicas.hedges(policy.idx) and policy.policy_type == REPL_POLICY
                and not self.app.get_policy_options(policy).concurrent_gets)

    def _make_node_request(self, node, *args):
        race, node.race, found = node.race, None, False     # no cycle: see Primaries
        if node.is_hedge and race is not self._race:   # the first was just in time
            return False
        try:
            found = self._ask(race, node, *args)
        finally:
            race.settled(node, found)
            if not (found or node.declined or race is self._race):
                self.node_iter.drop(node)
        return found

    def _ask(self, race, node, *args):
        found = super()._make_node_request(node, *args)
        if node.declined:
            self.app.replicas.declined(node)
            take_back(self.statuses, self.reasons, self.bodies, self.source_headers)
            if not self.node_iter.again(node) and race is self._race and not race.found:
                return self._ask(race, MeasuredNode(node), *args)
        if race is not self._race:
            self._lose(node)
        return found

    def _lose(self, node):
        """Let go of what came when another node had won: Swift keeps it as long as the getter.

        It would be in flight until the client has all of another's answer, and where that breaks,
        Swift would take it, which begins with the first byte, for the rest.
        """
        for source in [source for source in self.sources if source.node is node]:
            self.sources.remove(source)
            source.close()
            if node.read is not None:
                self.app.replicas.lost(node.read)

    def _response_from(self, node, _result):
        for source in self.sources:
            if source.node is node:
                return source.resp
        return None

    def _find_source(self):
        race = self._race = self.node_iter.race = self._new_race()
        hedged = isinstance(race, HedgedRace)
        self.concurrency, swifts = HEDGED if hedged else self.concurrency, self.concurrency
        token = _race.set(race if hedged else None)
        try:
            found = super()._find_source()
        finally:
            _race.reset(token)
            self._race, self.concurrency = None, swifts
        for source in self.sources:  # those that lost a race; Swift has closed them
            if source.node.read is not None:
                self.app.replicas.ended(source.node.read)
        if found and race.hedge is not None:
            if self.source.node.is_hedge:
                self.app.replicas.hedge_won(self.source.node)
            for node in (*race.unanswered, *(source.node for source in self.sources)):
                self.node_iter.keep(node)
        return found

    def _new_race(self):
        if not self._hedges or self.source is not None:  # a read that is resumed has waited
            return Race()
        spare = partial(self._primaries.spare, declined=self.node_iter.declined)
        return HedgedRace(self.app.replicas, self.size_class, spare)


class FragmentGetter(MeasuredGetter):
    """What is done to Swift's ECFragGetter."""

    def _response_from(self, _node, result):
        return result
