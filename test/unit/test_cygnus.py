"""The arithmetic of test/bench/cygnus: what is compared, and the tables."""
from bench.cygnus.figures import CygnusFigures, tables
from bench.cygnus.settings import (
    A_CLIENT,
    ADAPTIVE,
    MEAN,
    NON_UNIFORM,
    PAPERS,
    UNIFORM,
    WRONG_THRESHOLDS,
    Case,
    groups,
    wrong,
)
from bench.dispatchers.figures import medians

from swift_lb.lab.spec import LabSpec


def run(rate, failed=0.0):
    return CygnusFigures(rate, 0.1, 0.4, failed)


def test_a_case_defines_clients_and_their_think_time():
    scenario = Case(NON_UNIFORM, 8, 2).scenario(0.04)
    assert (2, 200.0, (0.0, 1.6)) == (scenario.all_clients, scenario.most, scenario.thinks)
    assert (0.0,) == Case(UNIFORM, 8, 2).scenario(0.04).thinks


def test_the_wrong_reject_threshold_is_a_fifth_of_capacity():
    words = wrong(0.04)
    assert PAPERS | {'reject': '5', 'critical': '7'} == words
    LabSpec(agents=True, agent_options=words)


def test_a_test_cluster_without_cases_to_measure_is_not_started():
    result = groups(2, (2,), (UNIFORM, NON_UNIFORM), [A_CLIENT.name], MEAN)
    assert [({}, (A_CLIENT,))] == [(group.agents, group.balancers) for group in result]


def test_tables_have_median_rates_their_ratios_and_refusals():
    case = Case(WRONG_THRESHOLDS, 2, 8)
    results = {case: {A_CLIENT.name: [run(40.0), run(50.0), run(45.0)],
                      ADAPTIVE.name: [run(54.0, 3.0)]},
             Case(UNIFORM, 2, 8): {}}
    assert """
Figure 10. 2xx a second, ratio to round robin a client; refused a second
wrong, 2 servers, MAX 50/s
clients      round robin a client              adaptive
      8         45.0  1.00    0.0     54.0  1.20    3.0
""".splitlines()[1:] == tables(medians(results), 0.04)[1:]


def test_the_table_has_a_dash_for_each_missing_measurement():
    figures = medians({Case(UNIFORM, 2, 2): {ADAPTIVE.name: [run(50.0)]},
                    Case(UNIFORM, 2, 8): {A_CLIENT.name: [run(50.0)]}})
    lines = tables(figures, 0.04)
    assert ['2', '-', '50.0', '-'] == lines[4].split()
    assert ['8', '50.0', '1.00', '-'] == lines[5].split()
