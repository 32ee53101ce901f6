"""How even are DNS shares behind resolvers that cache an answer for a TTL?

Once per TTL, at its own instant, each resolver queries one of the zone's name servers, chosen at
random. All resolvers have the same number of clients, and a client takes a random address of its
resolver's answer. So the answers within one TTL determine the shares of the next:

    share of a backend  =  mean over resolvers of (1 / size of the answer if the backend is in it,
                           else 0)
    target              =  the share of the clients that the backend should get
    error               =  max over backends of |share / target - 1|
"""
import math
import random
from collections import Counter
from typing import NamedTuple

from swift_lb.model import UP, NodeInstruction
from swift_lb.plan.decision import make_instruction
from swift_lb.zone.records import A
from swift_lb.zone.resolvers import Resolvers
from swift_lb.zone.sampling import start_of
from swift_lb.zone.sequences import AnswerSequences

RANDOM = 'random'       # membership with each answer drawn at random: the baseline of the sequence
SETTLED = 2             # TTLs until the number of resolvers is known


class Crowd(NamedTuple):
    """The parameters of a simulation: resolvers, name servers, and the backends' target shares."""

    shares: tuple           # of the backends, 1 together
    resolvers: int
    authorities: int = 1    # name servers that the resolvers query
    mode: str = 'membership'
    ttl: int = 60           # seconds


class SequenceOptions(NamedTuple):
    """The options of the DNS service that AnswerSequences, the prepared answers, need."""

    proxies: dict
    mode: str


class Authority:
    """One name server: the answers that it has prepared, and the resolvers that have queried it."""

    def __init__(self, crowd, number, seed):
        names = [f'n{place}' for place in range(len(crowd.shares))]
        self._random = crowd.mode == RANDOM
        mode = 'membership' if self._random else crowd.mode
        self._rng, self._ttl = random.Random(f'{seed} {number}'), crowd.ttl
        self._sequences = AnswerSequences(
            SequenceOptions({name: (f'192.0.2.{place}', None) for place, name in enumerate(names)},
                        mode),
            start_of(names[number % len(names)], names, number // len(names)), self._rng)
        self._sequences.refresh(instructed(dict(zip(names, crowd.shares, strict=True))))
        self._resolvers = Resolvers(crowd.ttl)
        self._shuffle(0.0)
        self._shuffle_at = self._rng.random() * crowd.ttl

    def answer(self, resolver, now):
        """Return the backends in the answer to a query of resolver number `resolver` at `now`."""
        self._resolvers.note(resolver, now)
        if now >= self._shuffle_at or self._sequences.is_outgrown(self._resolvers.count(now)):
            self._shuffle(now)
        sequence = self._sequences.of(A)
        if self._random:
            sequence.places.at = self._rng.random()
        return sequence.next_answer().backends

    def _shuffle(self, now):
        self._sequences.shuffle(self._ttl, self._resolvers.count(now), now)
        self._shuffle_at = now + self._ttl


def instructed(shares):
    """Return an Instruction with `shares`, {node: its share of the new clients}."""
    return make_instruction(1, math.inf, '', False, tuple(
        NodeInstruction(name, '', UP, None, 1.0, share, 1.0, 0.0)
        for name, share in shares.items()), '')


def mean_error(crowd, windows, seed):
    """Return the mean, over `windows` TTLs, of the greatest |share / target - 1| of any backend.

    The TTLs are those of the simulated Crowd, after SETTLED others, which do not count.
    """
    rng = random.Random(seed)
    asked = [Authority(crowd, number, seed) for number in range(crowd.authorities)]
    instants = sorted((rng.random() * crowd.ttl, resolver) for resolver in range(crowd.resolvers))
    errors = []
    for window in range(SETTLED + windows):
        counts = Counter()
        for instant, resolver in instants:
            server = asked[int(rng.random() * len(asked))]
            names = server.answer(resolver, window * crowd.ttl + instant)
            counts.update(dict.fromkeys(names, 1 / len(names)))
        errors.append(max(abs(counts[f'n{place}'] / crowd.resolvers / share - 1)
                          for place, share in enumerate(crowd.shares)))
    return math.fsum(errors[SETTLED:]) / windows
