"""The last summary of each speaker, which ones were lost, and when a speaker is silent."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import ClusterSummary
from swift_lb.service.clusters.receptions import FORGET_AFTER, WINDOW, Receptions


def summary(sequence, cluster='b', node='n', epoch=1):
    """Return a ClusterSummary of an interval of 2 s."""
    return ClusterSummary(cluster, node, epoch, sequence, 0.0, 2.0, '', 1, None, None)


@given(st.sets(st.integers(1, 3 * WINDOW), min_size=1))
def test_the_lost_ones_are_counted_of_the_last_64_since_the_first(sequences):
    known = Receptions()
    for sequence in sorted(sequences):
        known.add(summary(sequence), 100.0)
    begin = max(min(sequences), max(sequences) - WINDOW + 1)
    sent = range(begin, max(sequences) + 1)
    (echo,) = known.echoes('b', 100.0)
    assert echo.sequence == max(sequences)
    assert pytest.approx(len({*sent} - sequences) / len(sent)) == echo.lost


def test_a_new_epoch_begins_without_losses():
    known = Receptions()
    for sequence, epoch in ((1, 1), (9, 1), (40, 2)):
        known.add(summary(sequence, epoch=epoch), 100.0)
    assert [(2, 40, 0.5, 0.0)] == [echo[2:] for echo in known.echoes('b', 100.5)]


def test_of_two_speakers_the_last_one_counts_and_silent_ones_count_no_more():
    known = Receptions()
    known.add(summary(7, node='m'), 100.0)
    known.add(summary(1, node='n'), 101.0)
    known.add(summary(1, 'a'), 101.0)
    assert {'b': summary(1)} == known.lately('a', 109.0)
    assert {'n', 'm'} == known.speakers('b', 109.0)
    assert {'n'} == known.speakers('b', 109.5)
    assert {} == known.lately('a', 110.5)
    assert {'b': (summary(1), 101.0)} == known.heard('a')


def test_speakers_are_forgotten_after_ten_minutes_and_with_their_cluster():
    known = Receptions()
    known.add(summary(1), 100.0)
    known.add(summary(1, 'c'), 101.0)
    assert [] == known.forget({'b', 'c'}, 100.0 + FORGET_AFTER)
    assert [('b', 'n')] == known.forget({'b', 'c'}, 101.0 + FORGET_AFTER)
    assert [('c', 'n')] == known.forget({'b'}, 101.0)
    assert {} == known.heard('a')
