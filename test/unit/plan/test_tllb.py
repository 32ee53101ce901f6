"""`tllb` as published: Figure 3's example, the equations, and what the paper leaves open."""
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swift_lb.model import GONE, LATE, UP, Heard, Report
from swift_lb.plan.options import DEFAULTS
from swift_lb.plan.plan import plan
from swift_lb.plan.tllb import LEAST, delegation, dispatcher_load, dns_load
from swift_lb.service.plan_command import read

FIGURE_3 = pathlib.Path(__file__).resolve().parents[2] / 'cases' / 'reports' / 'figure-3'
OPTIONS = DEFAULTS._replace(rules='tllb')
PERCENT = st.floats(0.0, 100.0)


def parts_of(**metrics):
    """Return {node: Part} of {node: metrics}; None for a node that is late."""
    reports = {name: Heard(Report(name, 1, 1, 1e9, 1.0, of or {}), -4.0 if of is None else 0.0)
               for name, of in metrics.items()}
    return {part.node: part for part in plan(reports, None, 0.0, OPTIONS).parts}


def used(cpu, memory=None, network=None):
    """Return the metrics of a node that uses so much of each, in per cent."""
    given = {'cpu': cpu, 'memory': cpu if memory is None else memory,
             'network': cpu if network is None else network}
    return {name: value / 100 for name, value in given.items()}


def test_figure_3():
    """Node A keeps 0.20 of its requests, and sends 0.32 and 0.48 of all to B and C."""
    parts = {part.node[-1]: part for part in plan(read(FIGURE_3), None, 0.0, OPTIONS).parts}
    assert {name: round(part.dns, 2) for name, part in parts.items()} == {
        'a': 0.26, 'b': 0.31, 'c': 0.43}
    assert {name: round(part.keep, 6) for name, part in parts.items()} == {
        'a': 0.2, 'b': 1.0, 'c': 1.0}
    delegated = 1 - parts['a'].keep
    assert {name: round(delegated * part.take, 2) for name, part in parts.items()} == {
        'a': 0.0, 'b': 0.32, 'c': 0.48}
    assert {name: part.proxy for name, part in parts.items()} == {
        'a': '200.0.0.1:80', 'b': '200.0.0.2:80', 'c': '200.0.0.3:80'}


def test_figure_3s_node_d_which_has_failed_has_no_share():
    reports = read(FIGURE_3)
    gone = Heard(reports['node-c'].report._replace(node='node-d'), -5.0)
    assert plan(reports | {'node-d': gone}, None, 0.0, OPTIONS).parts == plan(
        reports, None, 0.0, OPTIONS).parts


def test_equations_1_and_2():
    options = OPTIONS._replace(alpha=2.0, beta=3.0, gamma=5.0)
    assert dns_load(options, net=10, cpu=20, mem=30) == (2 * 10 + 3 * 20 + 5 * 30) / 10
    assert dispatcher_load(options, net=10, cpu=20, mem=30) == (3 * 20 + 5 * 30) / 8


@given(PERCENT, PERCENT)
def test_the_network_is_nothing_to_dispatchers(one, other):
    assert dispatcher_load(OPTIONS, cpu=50, mem=20, net=one) == dispatcher_load(
        OPTIONS, cpu=50, mem=20, net=other)


@pytest.mark.parametrize(('loads', 'overloaded'), [
    ({'a': 20.0, 'b': 30.0}, set()), ({'a': 20.0, 'b': 30.1}, {'b'}),
    ({'a': 0.1, 'b': 0.2, 'c': 0.1}, {'b'}), ({'a': 50.0}, set()), ({}, set())])
def test_equation_3_is_more_than_rho_times_the_least(loads, overloaded):
    keep, take = delegation(loads, 1.5)
    assert {name for name, part in keep.items() if part < 1} == overloaded
    assert {name for name, share in take.items() if share > 0} == (
        set(loads) - overloaded if overloaded else set())


def test_shares_are_inversely_proportional_to_loads():
    parts = parts_of(a=used(10), b=used(20), c=used(40))
    assert parts['a'].dns == pytest.approx(2 * parts['b'].dns, abs=2e-6)
    assert parts['a'].dns == pytest.approx(4 * parts['c'].dns, abs=4e-6)


def test_a_load_of_nothing_is_taken_for_a_tenth_of_a_per_cent():
    parts = parts_of(a=used(0), b=used(LEAST), c=used(10))
    assert parts['a'].dns == pytest.approx(parts['b'].dns, abs=1e-6)
    assert parts['c'].dns > 0


def test_who_is_late_is_taken_to_use_all_there_is():
    late, full = (parts_of(a=used(10), b=used(20), c=of) for of in (None, used(100)))
    assert late['c'].state == LATE
    assert full['c'].state == UP
    assert [part[4:-1] for part in late.values()] == [part[4:-1] for part in full.values()]


def test_what_is_unknown_is_the_mean_of_those_that_know():
    unknown = parts_of(a=used(10), b=used(30), c={})
    assert unknown['c'].dns == parts_of(a=used(10), b=used(30), c=used(20))['c'].dns
    nobody = parts_of(a={}, b={})
    assert {part.dns for part in nobody.values()} == {0.5}


def test_a_late_node_alone_gets_all_clients():
    parts = parts_of(a=None)
    assert (parts['a'].state, parts['a'].dns, parts['a'].keep) == (LATE, 1.0, 1.0)
    assert GONE not in {part.state for part in parts.values()}
