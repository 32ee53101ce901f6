"""Sequences of prepared answers for one address family; the mode decides which answer comes next.

    membership  as many backends as the shares allow, by systematic sampling (zone/sampling.py)
    single      one backend, by systematic sampling too
    ordered     all backends, in weighted random order (TLLB): resolvers that shuffle undo it
    all         all backends, in random order
    auto        `membership` if enough resolvers ask for it to keep the shares better, else `all`

A sequence is used until a share or a state changes; the next one begins at the place it reached.
"""
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from swift_lb.model import Node, Snapshot
from swift_lb.policy.lb_rlt import Shuffle, Weighted
from swift_lb.zone.sampling import GOLDEN, Line, answer_size, capped

ERROR = 0.5     # the mean error of the sequence, in answers; measured by `swift-lb sim caches`
NO_LOADS = Snapshot({})


class Weights(NamedTuple):
    """The options that an ordering policy reads: only the weights of backends."""

    weights: Mapping


class PreparedAnswer(NamedTuple):
    """A prepared answer: the names of its backends, and their address records as bytes."""

    backends: tuple
    records: tuple      # the bytes of each record
    wire: bytes         # all records, concatenated


class SampledSequence:
    """A sequence of answers with `size` backends each, a backend as often as its share says."""

    def __init__(self, shares, size, records, places):
        """Take {backend: fraction}, backends in an answer, {backend: record as bytes}, a Places."""
        self.chances = {name: share * size for name, share in shares.items()}
        self.size = size
        self._line, self._records, self.places = Line(shares, size), records, places
        self._cuts, self._step = self._line.cuts, GOLDEN / size
        self._answers = [None] * len(self._cuts)      # made when they are first given
        self._given = [0] * len(self._cuts)

    def next_answer(self):
        """Return the next prepared answer, a PreparedAnswer."""
        number = bisect_right(self._cuts, self.places.next(self._step))
        self._given[number] += 1
        return self._answers[number] or self._make(number)

    def _make(self, number):
        made = self._answers[number] = prepared_answer(self._line.answer(number), self._records)
        return made

    def counts(self):
        """Return [(PreparedAnswer, how often this answer was given since the last call)]."""
        given, self._given = self._given, [0] * len(self._given)
        return [(one, times) for one, times in zip(self._answers, given, strict=True) if times]


class OrderedSequence:
    """A sequence of answers that have all backends, in an order that a policy makes each time."""

    def __init__(self, policy, records, rng):
        """Take a policy of swift_lb.policy, `records` {backend: bytes}, and a random.Random."""
        self.chances = dict.fromkeys(records, 1.0)
        self._policy, self._rng = policy, rng
        self._records = {candidate(name): record for name, record in records.items()}
        self._all, self._given = prepared_answer(list(records), records), 0
        self.size = len(records)

    def next_answer(self):
        """Return a PreparedAnswer with all backends, in an order that the policy makes now."""
        self._given += 1
        order = self._policy.order(list(self._records), NO_LOADS, 0.0, self._rng)
        records = tuple([self._records[one] for one in order])
        return PreparedAnswer(self._all.backends, records, b''.join(records))

    def counts(self):
        """Return [(PreparedAnswer, how often this answer was given since the last call)]."""
        given, self._given = self._given, 0
        return [(self._all, given)]


def prepared_answer(names, records):
    """Return the PreparedAnswer with these backends, in this order; `records` is {name: bytes}."""
    chosen = tuple(records[name] for name in names)
    return PreparedAnswer(tuple(names), chosen, b''.join(chosen))


def candidate(name):
    """Return a backend as a Node, which is the form in which policies order it."""
    return Node(name, 0, '')


def membership(shares, records, places, rng, most):
    """Return a SampledSequence: some backends per answer, each as often as its share says.

    `shares` is {backend: fraction}, `records` {backend: record as bytes}; `places`, a Places,
    selects the backends of each answer; `most` backends fit into an answer. `rng` is not used.
    """
    size = answer_size(shares, most)
    return SampledSequence(capped(shares, 1 / size), size, records, places)


def single(shares, records, places, rng, most):
    """Return a SampledSequence: one backend per answer, each as often as its share says."""
    return SampledSequence(shares, 1, records, places)


def ordered(shares, records, places, rng, most):
    """Return an OrderedSequence in random order weighted by `shares`, {backend: fraction}."""
    weights = Weights({(name,): share for name, share in shares.items()})
    return OrderedSequence(Weighted(weights), records, rng)


def all_backends(shares, records, places, rng, most):
    """Return an OrderedSequence of all backends in `records`, in a random order without weights."""
    return OrderedSequence(Shuffle(Weights({})), records, rng)


MODES = {'membership': membership, 'ordered': ordered, 'single': single, 'all': all_backends}
AUTO = 'auto'
PUSHING = 'rfc2136'     # a mode without sequences: another server answers


def mode_for(mode, shares, most, resolvers):
    """Return `mode`, or what `auto` chooses: the mode that keeps the shares of clients better.

        error of all         max |1/n / share - 1|, with n backends, however many resolvers ask
        error of membership  ERROR / (resolvers x k x least share), with k backends in an answer

    `resolvers` is how many ask in a TTL; `most` backends fit in an answer. `all` needs all to fit:
    otherwise resolvers would have to ask again by TCP. ERROR is measured, in answers.
    """
    if mode != AUTO:
        return mode
    if len(shares) > most:
        return 'membership'
    if len(shares) < 2:
        return 'all'
    size = answer_size(shares, most)
    level = capped(shares, 1 / size)
    of_all = max(abs(1 / len(shares) / share - 1) for share in level.values())
    of_some = ERROR / (max(1, resolvers) * size * min(level.values()))
    return 'membership' if of_some < of_all else 'all'
