"""Order the replicas of reads, and feed the book from reads. Whatever breaks here fails open."""
import functools
import itertools
import math
from contextlib import suppress
from operator import itemgetter
from typing import NamedTuple

from swift_lb.load.hedge import ORDINARY, delay_of, hedge
from swift_lb.load.tail_time import WHOLE
from swift_lb.model import Node, Snapshot, fast_tuple
from swift_lb.policy import make_policy
from swift_lb.wire.report import decode, encode_limit

FORGET_EVERY = 60.0     # seconds: to look at all devices takes milliseconds of a large host
FORGET_AFTER = 3600.0   # seconds: a device unread for so long has left the ring, or might as well
LOG_EVERY = 60.0        # seconds between log lines about one part that keeps failing


class Arranged(NamedTuple):
    """One order and what it rested on."""

    at: float            # instant, seconds
    best: list           # Nodes, best first
    tiers: list          # the same, a list for each tier of Swift's read affinity
    nodes: list          # the node dicts in that order
    snapshot: Snapshot


class Ordered(list):
    """The node dicts of an order, and the Arranged that they are from."""

    __slots__ = ('arranged',)


place_of = itemgetter(*Node._fields)


def key_of(node):
    """Return the Node of one of Swift's node dicts; Swift's own tests leave the port out."""
    try:
        return fast_tuple(Node, place_of(node))
    except KeyError:
        return fast_tuple(Node, (node['ip'], node.get('port'), node['device']))


def fails_open(part):
    """Make a method return None where it would raise; `part` names it in the metric and the log.

    Only Exception is caught: eventlet's Timeout and GreenletExit are BaseExceptions that belong to
    the request.
    """
    def decorate(method):
        def fails(self, *args):
            try:
                return method(self, *args)
            except Exception:
                self.fall_back(part)
                return None

        def fails_of_one(self, arg):        # most are called with one, and this is faster
            try:
                return method(self, arg)
            except Exception:
                self.fall_back(part)
                return None
        return functools.wraps(method)(
            fails_of_one if method.__code__.co_argcount == 2 else fails)
    return decorate


class ReplicaOrder:
    """What one proxy worker knows of its nodes, and the policies that order them by it."""

    def __init__(self, options, book, metrics, clock, rng, logger):
        """Take {storage policy index or None: ReplicaOptions}, and what decides and tells.

        `clock` returns seconds (monotonic), `rng` is a random.Random, `logger` has exception().
        """
        self.options = options
        self.policies = {index: make_policy(chosen) for index, chosen in options.items()}
        self.active = any(chosen.enabled for chosen in options.values())
        self.book = book
        self.clock = clock
        self.last_orders = {}   # storage policy index -> Arranged
        self._metrics = metrics
        self._rng = rng
        self._logger = logger
        self._logged_at = {}    # part -> instant
        self._forgot_at = -math.inf

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

    @fails_open('order')
    def order(self, nodes, index, tier_of=None):
        """Return the node dicts best first, Ordered, or None where Swift's own order is to stand.

        `nodes` come sorted by `tier_of`, Swift's read affinity key, if there is one: then only the
        order within a tier is changed. Nothing is lost or doubled. Does not yield.
        """
        if not self.measures(index):
            return None
        arranged = self._arrange(nodes, index, tier_of)
        best = arranged.best
        if best:
            self.last_orders[index] = arranged
            self.book.chosen(best[0], arranged.at, best[1:])
            if self._metrics.heard:
                self._metrics.count('choices', self.options_of(index).policy, best[0])
        ordered = Ordered(arranged.nodes)
        ordered.arranged = arranged
        return ordered

    def preview(self, nodes, index, tier_of=None):
        """Return what `order` would, but choose and count nothing; not guarded."""
        return self._arrange(nodes, index, tier_of).nodes if self.measures(index) else nodes

    def _arrange(self, nodes, index, tier_of):
        keys = [*map(key_of, nodes)]
        now, snapshot, policy = self.clock(), self.book.snapshot(keys), self.policy_of(index)
        node_of = dict(zip(keys, nodes))    # noqa: B905 `strict` takes longer than all of this line
        if tier_of is not None or len(node_of) < len(nodes):
            tiers, ordered = self._arrange_tiers(nodes, policy, tier_of, snapshot, now)
            return Arranged(now, [*itertools.chain(*tiers)], tiers, ordered, snapshot)
        best = policy.order(keys, snapshot, now, self._rng)
        ordered = [node_of.pop(key) for key in best]  # fails for one that is doubled or new
        if node_of:
            raise ValueError(f'the policy lost {", ".join(map(str, node_of))}')
        return fast_tuple(Arranged, (now, best, [best], ordered, snapshot))

    def _arrange_tiers(self, nodes, policy, tier_of, snapshot, now):
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
    def limits(self, arranged, index):
        """Return {Node: X-Backend-Lb-Limit} of those that may decline in this order.

        The last of each tier may not: an order ends there, or goes to nodes that are further away.
        """
        limits = getattr(self.policy_of(index), 'limits', None)
        if limits is None:
            return {}
        return {node: encode_limit(limit) for tier in arranged.tiers
                for node, limit in limits(tier, arranged.snapshot, arranged.at).items()}

    @fails_open('begin')
    def begin(self, node, index, size_class=WHOLE):
        """Begin a read of a node dict; return its Read, or None where nothing is measured."""
        key, now, options = key_of(node), self.clock(), self.options_of(index)
        if self._metrics.heard and not self.policy_of(index).knows(
                key, self._seen(key, index), now):
            self._metrics.count('unknowns', options.policy, key)
        return self.book.begin(key, now, options.chunk_clock == 'request', size_class)

    def _seen(self, key, index):
        """Return a Snapshot of the Node `key`: the last order's, most often that of this read."""
        arranged = self.last_orders.get(index)
        if arranged is not None and key in arranged.best:
            return arranged.snapshot
        return self.book.snapshot((key,))

    def hedges(self, index):
        """Return whether reads of storage policy `index` are hedged."""
        return self.options_of(index).hedge == 'auto'

    @fails_open('hedge')
    def hedge_delay(self, find, first, size_class):
        """Return (now, the Delay of a read of `first`); None: unknown.

        `find(first)` is the node dict it would be hedged with, or None.
        """
        second = find(first)
        delay = delay_of(self.book, key_of(first), second and key_of(second), size_class)
        return None if delay is None else (self.clock(), delay)

    @fails_open('hedge')
    def hedge(self, find, first, asked_at, delay):
        """Return (X-Backend-Lb-Limit, None): to ask what `find(first)` returns, too, with that.

        ORDINARY in its place: with the limit of the order. The hedge has then been counted, and
        paid for. Else (None, after how many seconds to try again) or, where there is nobody to ask,
        (None, None).
        """
        second, now = find(first), self.clock()
        if second is None:
            return None, None
        if now - asked_at < delay.late:     # the loop has come because another has failed
            return None, delay.late - (now - asked_at)
        key = key_of(second)
        limit, seconds = hedge(self.book, key_of(first), key, now, asked_at, delay)
        if limit is None:
            return None, seconds
        self._metrics.count('hedges', key)
        return limit if limit == ORDINARY else encode_limit(limit), None

    @fails_open('hedge')
    def hedge_won(self, node):
        """Count that a node dict that was asked as a second one has answered first."""
        self._metrics.count('hedge_wins', key_of(node))

    @fails_open('connected')
    def connected(self, node, read, seconds):
        """Record that a request's head is on its way to `node`, `read`'s or any other request's.

        Nothing is recorded where every lb_enabled is false.

        For a read the time is taken here; for the rest it is `seconds`, the difference of a wall
        clock, and left out where that clock has stepped.
        """
        if not self.active:
            return
        now = self.clock()
        if read is not None:
            seconds = read.sent(now)
        if 0 <= seconds < FORGET_AFTER:     # so no NaN
            self.book.connected(key_of(node) if read is None else read.node, seconds, now)

    @fails_open('reported')
    def reported(self, read, text):
        """Note the report, `text` or None, that came with the head of an answer, now."""
        report = decode(text)
        if report is not None:
            read.reported(report, self.clock())

    @fails_open('declined')
    def declined(self, node):
        """Count that a node dict has declined: neither success nor error."""
        self._metrics.count('declined', key_of(node))

    @fails_open('head')
    def head(self, read):
        """Note that the answer's head has come, of one that has a body to be read."""
        read.head(self.clock())

    @fails_open('wait')
    def wait(self, read):
        """Note that the proxy waits for the next chunk of `read`."""
        read.wait(self.clock())

    @fails_open('first_byte')
    def first_byte(self, read):
        """Record that the first byte of the answer is there."""
        read.answered(self.clock())
        if self._metrics.heard:
            self._metrics.timing('first_byte_time', read.first_byte_time, read.node)

    @fails_open('received')
    def received(self, read, size):
        """Record a chunk of `size` bytes."""
        if read.first_byte_time is None:
            self.first_byte(read)
        read.chunk(size, self.clock())

    @fails_open('answered')
    def answered(self, read):
        """Record an answer that has no body to be read, and end the read as a success."""
        self.first_byte(read)
        read.complete()

    @fails_open('part_ended')
    def part_ended(self, read, last):
        """Record that a part has come whole, and with the `last` one the answer."""
        if last:
            read.complete()
        else:
            read.part_done()

    @fails_open('ended')
    def refused(self, read):
        """Note that the node has answered, if with nothing to be read, and end the read."""
        read.refused(self.clock())

    @fails_open('ended')
    def ended(self, read):
        """Note that nobody will read on: Swift was refused, or the client has gone."""
        read.close()

    @fails_open('lost')
    def lost(self, read):
        """End a read whose head came after another node's, when nobody wanted it any more.

        Its first byte came with the head: who always loses is to be known to be slow.
        """
        if read.first_byte_time is None:    # an answer without a body has been recorded
            self.first_byte(read)
        read.end()

    @fails_open('blame')
    def blame_read(self, read, timed_out):
        """Count an error or a timeout of the node `read` is from; of one read at most one."""
        if read.fail(timed_out):
            self._count_failure(read.node, timed_out)

    @fails_open('blame')
    def blame_node(self, node, timed_out):
        """Count an error or a timeout of a node dict outside a read, unless all is switched off."""
        if not self.active:
            return
        key = key_of(node)
        self.book.failed(key, timed_out)
        self._count_failure(key, timed_out)

    def _count_failure(self, node, timed_out):
        self._metrics.count('timeouts' if timed_out else 'errors', node)

    def fall_back(self, part, said=None):
        """Say that `part` has failed: a metric each time, a log line now and then. Never raises.

        `said` is the sentence for what was to be expected; else it is the exception in hand.
        """
        with suppress(Exception):  # one of the two may be what has failed
            self._metrics.count('fallbacks', part)
        with suppress(Exception):  # the last resort: there is nobody left to tell
            self._log(part, said)

    def _log(self, part, said):
        try:
            now = self.clock()
        except Exception:
            now = self._logged_at.get(part, 0.0)  # a clock that has failed: said once
        if now - self._logged_at.get(part, -math.inf) >= LOG_EVERY:
            self._logged_at[part] = now
            if said is not None:
                self._logger.warning('swift-lb: %s', said)
                return
            self._logger.exception(
                'swift-lb: %s failed; going on as plain Swift (said at most every %d s)',
                part, LOG_EVERY)

    @fails_open('flush')
    def flush(self, worker, gauges=True):
        """Forget devices that are gone, now and then, and emit counters and `gauges`.

        They are the host's, or those of the `worker` who has a book of its own.
        """
        now = self.clock()
        if now - self._forgot_at >= FORGET_EVERY:
            self.book.forget(now - FORGET_AFTER)
            self._forgot_at = now
        self._metrics.flush()
        if gauges:
            self._metrics.gauge(worker, self.book.snapshot())
