"""The laws that all policies obey, those of replicas and those of backends."""
import random
from collections import Counter
from itertools import repeat

import pytest

from swift_lb.model import Snapshot

EMPTY = Snapshot({})
NOW = 1000.0
ROUNDS = 6000
# A share of 1/3 over 6000 draws has a standard deviation of 0.0061; five of them miss by chance
# once in two million runs.
TOLERANCE = 0.031


class Laws:
    """Tests of laws for a `policy`; a subclass sets three candidates, Snapshots, and two loads.

    `good` is the NodeLoad of a candidate that answers well, `bad` that of one that does not.
    """

    candidates, snapshots, good, bad = (), (), None, None

    def view(self, loads):
        return Snapshot(loads)

    def with_one(self, candidate, load):
        """Return a Snapshot in which `candidate` has the NodeLoad `load`, and others `good`."""
        return self.view({each: load if each == candidate else self.good
                          for each in self.candidates})

    def rounds(self, snapshot):
        """Return an iterator of ROUNDS Snapshots, one for each order: `snapshot` each time."""
        return repeat(snapshot, ROUNDS)

    def shares(self, policy, snapshot, candidates=None, seed=12345):
        """Return {candidate: fraction of ROUNDS orders by `policy` in which it came first}."""
        rng, candidates = random.Random(seed), candidates or self.candidates
        first = Counter(policy.order(candidates, each, NOW, rng)[0]
                        for each in self.rounds(snapshot))
        return {each: first[each] / ROUNDS for each in candidates}

    def even(self):
        return pytest.approx(dict.fromkeys(self.candidates, 1 / 3), abs=TOLERANCE)

    @pytest.mark.parametrize('count', [0, 1, 2, 3])
    def test_law_1_an_order_has_every_candidate_once(self, policy, count):
        for snapshot in self.snapshots:
            ordered = policy.order(self.candidates[:count], snapshot, NOW, random.Random(1))
            assert sorted(self.candidates[:count]) == sorted(ordered)
            assert isinstance(ordered, list)

    def test_law_2_an_order_does_not_change_its_input(self, policy):
        for snapshot in self.snapshots:
            given, loads = list(self.candidates), dict(snapshot.loads)
            common = dict(snapshot.common)
            policy.order(given, snapshot, NOW, random.Random(1))
            assert (given, loads, common) == (self.candidates, snapshot.loads, snapshot.common)

    def test_law_3_the_same_seed_gives_the_same_order(self, policy):
        for snapshot in self.snapshots:
            runs = [[policy.order(self.candidates, snapshot, NOW, rng) for _ in range(20)]
                    for rng in (random.Random(7), random.Random(7))]
            assert runs[0] == runs[1]

    def test_law_4_equal_candidates_are_first_equally_often(self, policy):
        alike = self.view(dict.fromkeys(self.candidates, self.good))
        assert self.even() == self.shares(policy, alike)

    def test_law_5_shares_do_not_depend_on_the_candidates_order(self, policy):
        for snapshot in self.snapshots[::self.every]:
            one = self.shares(policy, snapshot)
            other = self.shares(policy, snapshot, self.candidates[::-1], seed=54321)
            assert one == pytest.approx(other, abs=2 * TOLERANCE)

    every = 1       # of so many snapshots one is used for law 5

    @pytest.mark.parametrize('place', [0, 1, 2])
    def test_law_6_a_worse_candidate_is_not_first_more_often(self, policy, place):
        worse = self.candidates[place]
        assert self.shares(policy, self.with_one(worse, self.bad))[worse] <= 1 / 3 + TOLERANCE

    def test_law_7_without_any_facts_each_is_first_equally_often(self, policy):
        assert self.even() == self.shares(policy, EMPTY)

    def test_each_candidates_place_is_explained_in_one_line(self, policy):
        for snapshot in self.snapshots:
            for candidate in self.candidates:
                reason = policy.explain(candidate, self.candidates, snapshot, NOW)
                assert reason.strip()
                assert '\n' not in reason
