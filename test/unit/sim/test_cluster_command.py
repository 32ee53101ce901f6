"""`swift-lb sim cluster`: what it prints and draws."""
from dataclasses import replace

import pytest

from swift_lb.cli import main
from swift_lb.sim import cluster_command
from swift_lb.sim.loop.setting import EVEN


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Make the terminal 200 columns wide; add a setting `short` of 40 s."""
    monkeypatch.setenv('COLUMNS', '200')
    short = replace(EVEN, name='short', seconds=40.0, warm_up=20.0)
    monkeypatch.setitem(cluster_command.SETTINGS, 'short', short)


def test_sim_cluster_prints_a_row_per_rule_set_and_draws_a_png(capsys, tmp_path):
    pytest.importorskip('matplotlib')
    assert 0 == main(['sim', 'cluster', '--scenario', 'short', '--caches', '3', '--processes', '1',
                      '--out', str(tmp_path / 'new')])
    lines = capsys.readouterr().out.splitlines()
    assert ['short:', 'rules', 'static', 'tllb', 'balanced', 'drawn:'] == [
        line.split()[0] for line in lines]
    assert (tmp_path / 'new' / 'short.png').read_bytes().startswith(b'\x89PNG')


def test_option_dispatch_selects_the_dispatchers_policy(capsys):
    results = []
    for policy in ('tllb', 'adaptive', 'none'):
        assert 0 == main(['sim', 'cluster', '--scenario', 'half', '--rules', 'balanced',
                          '--ttl', '2', '--processes', '1', '--dispatch', policy])
        results.append(capsys.readouterr().out.splitlines()[-1].split())
    assert 3 == len({*map(tuple, results)})
    assert ['0.0', '%'] == results[2][-10:-8]         # delegated


def test_option_forecast_changes_planned_rules_and_not_static_ones(capsys):
    results = []
    for method in ([], ['--forecast', 'none'], ['--forecast', 'nws']):
        assert 0 == main(['sim', 'cluster', '--scenario', 'half', '--ttl', '2', '--processes', '1',
                          *method])
        results.append(capsys.readouterr().out.splitlines()[2:])
    assert results[0] == results[1]
    assert [True, False, False] == [
        plain == forecast for plain, forecast in zip(*results[1:], strict=True)]


@pytest.mark.parametrize(('option', 'value', 'says'), [
    ('--scenario', 'no', "--scenario 'no': must be one of even"),
    ('--rules', 'balanced,no', "--rules 'no': must be one of static, tllb, balanced"),
    ('--dispatch', 'no', "--dispatch 'no': must be one of tllb, adaptive, none"),
    ('--forecast', 'no', "--forecast 'no': must be one of none, nws"),
    ('--caches', '0', '--caches 0: must be 1 or more'), ('--ttl', 'nan', '--ttl nan')])
def test_a_wrong_option_of_sim_cluster_is_refused(capsys, option, value, says):
    assert 1 == main(['sim', 'cluster', option, value])
    assert says in capsys.readouterr().err
