"""Mix-ins that record and hedge the reads of Swift's getters, and let nodes decline reads.

seam.py adds them to Swift's getters.

How a read is followed. The node dicts that a getter tries are MeasuredNodes: equal to Swift's own,
with an attribute for the Read. Swift hands this object to set_node_timing, to its error hooks and
to the GetterSource, so successes and errors are recorded in the right Read, on resumed reads too.

How a node declines (wire/report.py). NodeIter keeps the OrderedNodes that sort_nodes returns, where
the getter finds the Decision from which the limits are computed. The answer of a node that declines
is removed from the getter's lists, and the node is asked again, without a limit, before handoffs.

How a read is hedged (hedging.py). Swift's loop, GetOrHeadHandler._find_source, runs as with
concurrent_gets. Three side channels connect it to the HedgedRace of the search:

    ReplicaGetter._find_source               runs the loop with concurrency = 2
      |
      |  Swift's loop                        one greenthread, that of the request
      |   |
      |   |-- 1 next(node_iter) -----------> MeasuredNodes.__next__
      |   |                                    race.wait_for_next()     BLOCKS until a node may be
      |   |                                    |                        asked; spends a token
      |   |                                    race.started(node)       prepares: the node's limit,
      |   |                                                             the delay of its hedge
      |   |-- spawns _make_node_request(node)  in a greenthread of its own
      |   |     `-- 3 race.finished(node) --> wakes wait_for_next() when the node has answered
      |   |
      |   `-- 2 get_policy_options().concurrency_timeout
      |          seam.py -> in_a_race() -> RaceTimeoutOptions(race.delay)
      |          how long the loop BLOCKS for an answer before it goes back to 1
      |
      `- race.count_win(node), and node_iter.keep(node) for the nodes that lost

The race is found in 1 through node_iter.race, in 2 through the context variable _race, in 3 through
node.race.
"""
from contextvars import ContextVar
from functools import partial

from swift.common.storage_policy import REPL_POLICY

from swift_lb.proxy.hedging import MAX_RUNNING, HedgedRace, Race, RaceTimeoutOptions, size_class_of
from swift_lb.proxy.nodes import MeasuredNode, MeasuredNodes, Primaries, take_back
from swift_lb.proxy.recorder import MeasuredPart
from swift_lb.wire.report import LIMIT, LOAD

_race = ContextVar('swift_lb_race', default=None)   # the HedgedRace that this greenthread runs


def in_a_race(options):
    """Return a storage policy's `options`, but a HedgedRace's delay as its concurrency_timeout."""
    race = _race.get()
    return options if race is None else RaceTimeoutOptions(options, race.delay)


class MeasuredGetter:
    """Mix-in for Swift's getters of replicas and of fragments: records each read that they make."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.node_iter = MeasuredNodes(self.node_iter, *self._limits_and_primaries())
        wanted = self.req.range
        self.size_class = size_class_of(self.req.method, wanted.ranges if wanted else ())

    def _limits_and_primaries(self):
        """Return ({Node: X-Backend-Lb-Limit}, None or a function: is a primary still to come?)."""
        return {}, None

    def _make_node_request(self, node, *args):
        recorder = self.app.recorder
        read = node.read = recorder.begin(node, self.policy and self.policy.idx, self.size_class)
        self.backend_headers.pop(LIMIT, None)   # last: Swift copies them before anything yields
        if node.limit is not None:
            self.backend_headers[LIMIT] = node.limit
        result = super()._make_node_request(node, *args)
        if read is not None:
            resp = self._response_from(node, result)
            if resp is None:    # a 404, what the error hooks have blamed, any failure of a handoff
                has_answered = not node.declined and 'handoff_index' not in node
                (recorder.refused if has_answered else recorder.ended)(read)
                return result
            recorder.reported(read, resp.getheader(LOAD))
            if self.req.method == 'GET' and resp.status in (200, 206):
                recorder.head(read)
            else:
                recorder.ended_without_body(read)
        return result

    def _get_next_response_part(self):
        start, end, length, headers, part = super()._get_next_response_part()
        read = self.source.node.read
        if read is not None:
            size = None if start is None or end is None else end - start + 1
            part = MeasuredPart(part, read, size, part is self.source.resp, self.app.recorder)
        return start, end, length, headers, part

    def _iter_parts_from_response(self):
        try:
            yield from super()._iter_parts_from_response()
        finally:
            read = self.source.node.read
            if read is not None:
                self.app.recorder.ended(read)


class ReplicaGetter(MeasuredGetter):
    """Mix-in for Swift's GetOrHeadHandler: lets nodes decline reads, and hedges them."""

    _race = None    # of the search for a source that is under way
    _hedges = False

    def _limits_and_primaries(self):
        self._primaries = Primaries(self.node_iter, self.app.error_limiter.is_limited)
        decision = self._primaries.decision
        if decision is None or self.newest or self.server_type != 'Object':
            return {}, None
        self._hedges = self._may_hedge()
        limits = self.req.method == 'GET' and self.app.replicas.limits(decision, self.policy.idx)
        return limits or {}, self._primaries.left

    def _may_hedge(self):
        """Return whether swift-lb may hedge: objects are replicas, and concurrent_gets is off."""
        policy = self.policy
        return (self.app.replicas.hedges(policy.idx) and policy.policy_type == REPL_POLICY
                and not self.app.get_policy_options(policy).concurrent_gets)

    def _make_node_request(self, node, *args):
        race, node.race, has_source = node.race, None, False    # no cycle: see Primaries
        if node.is_hedge and race is not self._race:   # the first node answered just in time
            return False
        try:
            has_source = self._ask(race, node, *args)
        finally:
            race.finished(node, has_source)
            if not (has_source or node.declined or race is self._race):
                self.node_iter.drop(node)
        return has_source

    def _ask(self, race, node, *args):
        has_source = super()._make_node_request(node, *args)
        if node.declined:
            self.app.recorder.declined(node)
            take_back(self.statuses, self.reasons, self.bodies, self.source_headers)
            if not self.node_iter.ask_again(node) and race is self._race and not race.succeeded:
                return self._ask(race, MeasuredNode(node), *args)
        if race is not self._race:
            self._discard_late_source(node)
        return has_source

    def _discard_late_source(self, node):
        """Close an answer of `node` that came after another node's was chosen.

        Swift would keep it, so that it is in flight until the client has received all of the chosen
        answer. If that broke off, Swift would resume from this one, which begins at byte 0.
        """
        for source in [source for source in self.sources if source.node is node]:
            self.sources.remove(source)
            source.close()
            if node.read is not None:
                self.app.recorder.lost(node.read)

    def _response_from(self, node, _result):
        for source in self.sources:
            if source.node is node:
                return source.resp
        return None

    def _find_source(self):
        race = self._race = self.node_iter.race = self._new_race()
        hedged = isinstance(race, HedgedRace)
        self.concurrency, swifts = MAX_RUNNING if hedged else self.concurrency, self.concurrency
        token = _race.set(race if hedged else None)
        try:
            has_source = super()._find_source()
        finally:
            _race.reset(token)
            self._race, self.concurrency = None, swifts
        for source in self.sources:  # those that lost a race; Swift has closed them
            if source.node.read is not None:
                self.app.recorder.ended(source.node.read)
        if has_source and race.hedge is not None:
            if self.source.node.is_hedge:
                race.count_win(self.source.node)
            for node in (*race.unanswered, *(source.node for source in self.sources)):
                self.node_iter.keep(node)
        return has_source

    def _new_race(self):
        if not self._hedges or self.source is not None:  # a read that is resumed has waited
            return Race()
        spare = partial(self._primaries.spare, declined=self.node_iter.declined)
        return HedgedRace(self.app.recorder, self.size_class, spare)


class FragmentGetter(MeasuredGetter):
    """Mix-in for Swift's ECFragGetter: records each read of a fragment."""

    def _response_from(self, _node, result):
        return result
