"""The bench of cooperation: its trace, and what its rules do in a small run."""
from collections import Counter

import pytest
from bench.chains.browsing import LEVELS, VIEW, Browsing, View
from bench.chains.cell_clients import CHOICE, CellRow
from bench.chains.cells import missed, result_of
from bench.chains.cooperation import ALONE, ONE, OWNER, RULES, SWALA, World, compared, options_of

from swift_lb.chains.chain import POINTS, Region, Task

SMALL = options_of(['--views', '1500', '--images', '100', '--budget', str(20 << 20)])
WHOLE = Task(Region(0, 0, VIEW << LEVELS, VIEW << LEVELS), LEVELS)


def test_a_visit_is_an_overview_then_zooms_and_pans():
    views, visits = list(Browsing(50, 1.0, 1).views(4000)), {}
    assert [view.at for view in views] == sorted(view.at for view in views)
    for view in views:
        last = visits.get(view.visit)
        if last is None:
            assert view.task == WHOLE
        else:
            assert view.image == last.image
            assert view.task.reduce in (last.task.reduce, last.task.reduce - 1)
            if view.task.reduce < last.task.reduce:     # within the last view
                (x, y, side, _), (left, top, before, _) = view.task.region, last.task.region
                assert left <= x < x + side <= left + before
                assert top <= y < y + side <= top + before
        visits[view.visit] = view
    images = Counter(view.image for view in views if view.task == WHOLE)
    assert images[0] > 1.5 * images[3] > 0


def test_owner_and_swala_have_nearly_the_hit_ratio_of_one_cache():
    worlds = compared(2, SMALL)
    hits = {rule: worlds[rule].counts['hits'] for rule in RULES}
    assert min(hits[OWNER], hits[SWALA]) >= 0.95 * hits[ONE]
    assert hits[ALONE] < 0.9 * hits[ONE]


def test_the_rules_by_hand():
    # The same view three times, by visits that come to the proxies 0, 1, 1; one in between is told.
    views = [View(at, visit, 0, WHOLE) for at, visit in ((0.0, 0), (1.0, 1), (2.0, 3))]
    counts = {rule: World(rule, 2, 1 << 20).run([View(-9.0, 0, 1, WHOLE), *views]).counts
              for rule in RULES}
    assert {ONE: 2, ALONE: 1, OWNER: 2, SWALA: 2} == {
        rule: count['hits'] for rule, count in counts.items()}
    assert {'told': 2, 'here': 1} == {why: counts[SWALA][why] for why in ('told', 'here')}
    assert counts[SWALA]['hops'] == 2
    assert counts[OWNER]['owner'] == 3


def test_the_choice_is_compared_with_the_best_point_alone():
    predicted = {point: [0.1, 0.2, 0.3, 0.4] for point in POINTS}
    rounds = [[CellRow('D2', 'D2', 1.0 + turn, 0.1, 10, predicted),
               CellRow('D4', 'D4', 3.0, 0.1, 10, predicted),
               CellRow(CHOICE, 'D4', 1.1 * (1.0 + turn), 0.1, 10, predicted)] for turn in (0, 1)]
    result = result_of(rounds)
    assert (result.best, result.chosen) == ('D2', {'D4': 2})
    assert (result.ratio, result.error) == pytest.approx((1.1, 0.0))
    assert missed({'cell': result}) == ['cell: the choice takes 1.100 x the seconds of D2',
                                        'D2 alone is within 1.05 x the best in all cells']
