"""Which clusters and proxies are not asked, since they have refused or did not answer."""
from math import inf

import pytest

from swift_lb.dispatch.clusters import (
    MAX_REFUSALS,
    SHORTEST,
    SILENT,
    WAITS,
    Refusals,
    Silences,
    patience_of,
)
from swift_lb.model import RouteCost


def test_refusals_are_forgotten_after_ten_minutes_or_for_lack_of_room():
    refusals = Refusals(600.0)
    refusals.add('ucsb', 'a', 100.0)
    assert refusals.has('ucsb', 'a', 699.0)
    assert not refusals.has('ucsb', 'a', 700.0)
    assert not refusals.has('ucsb', 'b', 100.0)
    assert not refusals.has('eu', 'a', 100.0)
    for number in range(MAX_REFUSALS):
        refusals.add('ucsb', str(number), 100.0)
    assert not refusals.has('ucsb', 'a', 100.0)


def test_a_proxy_that_did_not_answer_is_asked_by_requests_that_wait_longer():
    silences = Silences()
    silences.add('a', 1.0, 100.0)
    assert ['b'] == silences.others(['a', 'b'], 1.0, 100.0)
    assert ['a', 'b'] == silences.others(['a', 'b'], 1.1, 100.0)
    assert ['a', 'b'] == silences.others(['a', 'b'], 1.0, 100.0 + SILENT)


def test_of_two_waits_for_a_proxy_the_longer_one_counts_while_it_lasts():
    silences = Silences()
    silences.add('a', inf, 100.0)
    silences.add('a', 1.0, 101.0)
    assert [] == silences.others(['a'], inf, 102.0)
    silences.add('a', 1.0, 101.0 + SILENT)
    assert ['a'] == silences.others(['a'], inf, 102.0 + SILENT)


def test_proxies_that_are_no_longer_left_out_take_no_room():
    silences = Silences()
    for number in range(100):
        silences.add(str(number), 1.0, SILENT * number)
    assert ['99'] == [*silences._known]


@pytest.mark.parametrize(('cost', 'patience'), [
    (None, SHORTEST), (RouteCost(9.0, 0.0, 9.0, 0.1), SHORTEST),
    (RouteCost(3.0, 0.0, 3.0, 1.0, 0.5), WAITS * 1.5)])
def test_a_read_is_patient_by_the_seconds_that_are_predicted_of_its_head(cost, patience):
    assert patience == patience_of(cost)
