"""The rules `tllb` as their paper has them: Figure 3's example, equations, and what it omits."""
import pathlib

import pytest

from swift_lb.model import GONE, LATE, UP, Heard, Report
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import plan
from swift_lb.plan.tllb import MIN_LOAD, delegation, dispatcher_load, dns_load
from swift_lb.service.plan_command import read

FIGURE_3 = pathlib.Path(__file__).resolve().parents[2] / 'cases' / 'reports' / 'figure-3'
OPTIONS = DEFAULTS._replace(rules='tllb')


def instructed(**metrics):
    """Plan of {node: metrics}, of which None means late; return {node: NodeInstruction}."""
    reports = {name: Heard(Report(name, 1, 1, 1e9, 1.0, of or {}), -4.0 if of is None else 0.0)
               for name, of in metrics.items()}
    return {node.node: node for node in plan(reports, None, 0.0, OPTIONS).nodes}


def used(cpu, memory=None, network=None):
    """Return the metrics, as fractions, of a node that uses so many per cent; None: as its CPU."""
    given = {'cpu': cpu, 'memory': cpu if memory is None else memory,
             'network': cpu if network is None else network}
    return {name: value / 100 for name, value in given.items()}


def test_the_plan_equals_figure_3_of_the_tllb_paper():
    """Node A keeps 0.20 of its requests, and sends 0.32 of them to B and 0.48 of them to C."""
    nodes = {node.node[-1]: node for node in plan(read(FIGURE_3), None, 0.0, OPTIONS).nodes}
    assert {name: round(node.dns, 2) for name, node in nodes.items()} == {
        'a': 0.26, 'b': 0.31, 'c': 0.43}
    assert {name: round(node.keep, 6) for name, node in nodes.items()} == {
        'a': 0.2, 'b': 1.0, 'c': 1.0}
    delegated = 1 - nodes['a'].keep
    assert {name: round(delegated * node.take, 2) for name, node in nodes.items()} == {
        'a': 0.0, 'b': 0.32, 'c': 0.48}
    assert {name: node.proxy for name, node in nodes.items()} == {
        'a': '200.0.0.1:80', 'b': '200.0.0.2:80', 'c': '200.0.0.3:80'}


def test_the_failed_node_d_of_figure_3_has_no_share():
    reports = read(FIGURE_3)
    gone = Heard(reports['node-c'].report._replace(node='node-d'), -5.0)
    assert plan(reports | {'node-d': gone}, None, 0.0, OPTIONS).nodes == plan(
        reports, None, 0.0, OPTIONS).nodes


def test_loads_equal_equations_1_and_2_of_the_tllb_paper():
    options = OPTIONS._replace(alpha=2.0, beta=3.0, gamma=5.0)
    assert dns_load(options, net=10, cpu=20, mem=30) == (2 * 10 + 3 * 20 + 5 * 30) / 10
    assert dispatcher_load(options, net=10, cpu=20, mem=30) == (3 * 20 + 5 * 30) / 8


@pytest.mark.parametrize(('loads', 'overloaded'), [
    ({'a': 20.0, 'b': 30.0}, set()), ({'a': 20.0, 'b': 30.1}, {'b'}),
    ({'a': 0.1, 'b': 0.2, 'c': 0.1}, {'b'}), ({'a': 50.0}, set()), ({}, set())])
def test_a_node_above_rho_times_the_least_load_is_overloaded(loads, overloaded):
    keep, take = delegation(loads, 1.5)
    assert {name for name, fraction in keep.items() if fraction < 1} == overloaded
    assert {name for name, share in take.items() if share > 0} == (
        set(loads) - overloaded if overloaded else set())


def test_a_load_is_at_least_a_tenth_of_a_per_cent():
    nodes = instructed(a=used(0), b=used(MIN_LOAD), c=used(10))
    assert nodes['a'].dns == pytest.approx(nodes['b'].dns, abs=1e-6)
    assert nodes['c'].dns > 0


def test_a_late_node_counts_as_fully_used():
    late, full = (instructed(a=used(10), b=used(20), c=of) for of in (None, used(100)))
    assert late['c'].state == LATE
    assert full['c'].state == UP
    assert [node[4:-1] for node in late.values()] == [node[4:-1] for node in full.values()]


def test_an_unknown_load_is_the_mean_of_the_others():
    unknown = instructed(a=used(10), b=used(30), c={})
    assert unknown['c'].dns == instructed(a=used(10), b=used(30), c=used(20))['c'].dns
    none_known = instructed(a={}, b={})
    assert {node.dns for node in none_known.values()} == {0.5}


def test_a_late_node_without_other_nodes_gets_all_clients():
    nodes = instructed(a=None)
    assert (nodes['a'].state, nodes['a'].dns, nodes['a'].keep) == (LATE, 1.0, 1.0)
    assert GONE not in {node.state for node in nodes.values()}
