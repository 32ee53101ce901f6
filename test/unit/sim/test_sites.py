"""Simulated clusters: what is decided between them, and what follows for their clients."""
from dataclasses import replace
from functools import cache

import pytest

from swift_lb.cli import main
from swift_lb.sim.sites.deciding import ORACLE
from swift_lb.sim.sites.setting import SITE_SETTINGS
from swift_lb.sim.sites.world import run

SECONDS = 60.0


@cache
def simulated(name, policy, seed=1, **changed):
    """Return the SiteOutcome of SITE_SETTINGS[name], made short, under `policy`."""
    return run(replace(SITE_SETTINGS[name], **{'seconds': SECONDS, **changed}), policy, seed)


def several(name):
    """Return the SiteOutcomes of `name` under adaptive and ORACLE, of three seeds each.

    With one of them the mean is up to 1.25 times the oracle's.
    """
    return [[simulated(name, policy, seed) for seed in range(1, 4)]
            for policy in ('adaptive', ORACLE)]


def test_the_same_seed_gives_the_same_figures():
    short = replace(SITE_SETTINGS['spill'], seconds=40.0)
    assert run(short, 'adaptive', 1) == run(short, 'adaptive', 1) != run(short, 'adaptive', 2)


def test_nothing_leaves_under_policy_local():
    assert 1.0 == simulated('spill', 'local').local


def test_nothing_leaves_clusters_with_the_same_load():
    assert simulated('balanced', 'adaptive').local >= 0.99


def test_an_idle_cluster_relieves_an_overloaded_one_without_turns():
    """The goals: 1.8 times the answers of `local`, and 1.2 times the oracle's mean."""
    own, oracle = several('spill')
    assert own[0].goodput >= 1.8 * simulated('spill', 'local').goodput
    assert sum(one.mean for one in own) <= 1.2 * sum(one.mean for one in oracle)
    assert [0.0] * 3 == [one.turns for one in own]


def test_reads_of_data_away_are_fetched_where_that_is_sooner():
    own, plain, oracle = (simulated('away', policy) for policy in ('adaptive', 'local', ORACLE))
    assert own.mean <= 1.1 * oracle.mean
    assert own.mean < plain.mean
    assert own.fetched >= 0.3


def test_nothing_is_sent_over_links_that_do_not_work():
    cut = simulated('partition', 'adaptive', partition=(0.0, 100.0))
    assert cut.local == 1.0
    assert simulated('partition', 'adaptive', partition=(0.0, 20.0)).fetched >= 0.3


def test_late_and_lost_summaries_make_no_herd():
    own, oracle = several('stale')
    assert own[0].goodput >= 1.8 * simulated('stale', 'local').goodput
    assert sum(one.mean for one in own) <= 1.25 * sum(one.mean for one in oracle)


def test_two_clusters_relieve_a_third_one():
    own, oracle = several('many-3')
    assert sum(one.mean for one in own) <= 1.2 * sum(one.mean for one in oracle)


def test_sim_sites_prints_a_row_for_each_policy_and_the_oracle(capsys, monkeypatch):
    monkeypatch.setenv('COLUMNS', '120')
    assert 0 == main(['sim', 'sites', '--scenario', 'balanced,spill', '--seconds', '32',
                      '--seeds', '2', '--processes', '1'])
    lines = capsys.readouterr().out.splitlines()
    assert ['balanced:', 'policy', 'local', 'adaptive', ORACLE,
            'spill:', 'policy', 'local', 'adaptive', ORACLE] == [line.split()[0] for line in lines]


@pytest.mark.parametrize(('option', 'value', 'says'), [
    ('--scenario', 'no', "--scenario 'no': must be one of balanced"),
    ('--policy', 'no', "--policy 'no': must be one of local"),
    ('--seeds', '0', '--seeds 0: must be 1 or more'),
    ('--seconds', '30', 'must be more than the 30 s of warm-up of spill'),
    ('--seconds', 'nan', '--seconds nan')])
def test_a_wrong_option_of_sim_sites_is_refused(capsys, option, value, says):
    assert 1 == main(['sim', 'sites', option, value])
    assert says in capsys.readouterr().err
