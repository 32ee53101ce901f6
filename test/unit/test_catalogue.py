"""The arithmetic of test/bench/catalogue: rates, fractions of the greatest, the best policy."""
import pytest
from bench.catalogue.columns import columns, maximum
from bench.catalogue.figures import ORDER, OURS, CatalogueRun, best, middle, rate, shares, table

MIX, KIND = COLUMN = ORDER[0]


def runs(*rates):
    return [CatalogueRun(one, 0, 0.0, 0.0) for one in rates]


@pytest.mark.parametrize('late', [0.0, 0.1, 0.3, 0.49])
def test_the_rate_is_independent_of_when_answer_bursts_begin(late):
    answers = [[0.0, late + 0.5 * number] for number in range(40) for _slot in range(6)]
    assert rate(answers, 2.0, 7.3, 1.0) == pytest.approx(6 / 0.5)


def test_the_rate_counts_only_answers_within_the_time_window():
    assert rate([[0.0, 1.9], [0.0, 8.1]], 2.0, 8.0, 1.0) == 0
    assert rate([[0.0, 5.0]], 2.0, 8.0, 1.0) == pytest.approx(1 / 5)


def test_each_rate_is_divided_by_the_maximum_rate_of_its_round():
    result = {column: {} for column in ORDER} | {COLUMN: {'fair': runs(90, 44), OURS: runs(80)}}
    most = {column: [] for column in ORDER} | {COLUMN: runs(100, 50)}
    assert shares(result, most) == {'fair': {COLUMN: [0.9, 0.88]}, OURS: {COLUMN: [0.8]}}


def test_the_best_rival_of_adaptive_has_the_highest_median():
    figures = {'fair': {COLUMN: [0.5, 0.9, 0.8]}, 'plain': {COLUMN: [0.7]}, OURS: {COLUMN: [0.99]}}
    assert best(figures, COLUMN) == (0.8, 'fair')
    assert best(figures, ORDER[1]) is None


def test_a_median_is_shown_with_half_the_spread_of_its_runs():
    assert middle([0.9, 0.95, 1.0], 100) == '95.0 +-5.0'
    assert middle([0.9], 100) == '90.0'


def test_the_tables_last_line_counts_columns_where_adaptive_is_best():
    results = {column: {'fair': runs(90), OURS: runs(98)} for column in ORDER}
    results[COLUMN] = {'fair': runs(97), OURS: runs(96.5)}
    lines = table(results, dict.fromkeys(ORDER, runs(100)), columns())
    # the paper's: 96.0, 99.2, 98.9 and 92.6, 99.5, 90.1
    assert lines[-1] == (f"{OURS} >= the best of the others in 5 of 6 columns, "
                         ">= the paper's best in 3")


def test_for_the_maximum_rate_each_client_uses_one_proxy():
    scenario = columns(slots=4, clients=3)[MIX, KIND]
    assert (scenario.load, scenario.clients, scenario.slots) == ('turns', 12, 4)
    assert scenario.most == pytest.approx(4 / 0.139 + 3 * 4 / 0.190)
    assert maximum(scenario) == scenario._replace(load='closed')
