"""How exactly DNS shares reach clients if few resolvers cache the answers, in simulation."""
from functools import cache

import pytest

from swift_lb.cli import main
from swift_lb.sim.caches import RANDOM, Crowd, mean_error

SHARES = (0.26, 0.31, 0.43)
WINDOWS = 60
ALL = 1 / 3 / 0.26 - 1          # error of equal shares


@cache
def error(resolvers, mode='membership', authorities=1):
    """Return the mean of the greatest |share / target - 1| of a backend, with three seeds."""
    crowd = Crowd(SHARES, resolvers, authorities, mode)
    return sum(mean_error(crowd, WINDOWS, seed) for seed in (1, 2, 3)) / 3


def test_dns_shares_are_nearly_exact_with_ten_resolvers():
    assert error(10) <= 0.12
    assert error(10, RANDOM) >= 2 * error(10)
    assert error(10, 'single') >= 2 * error(10)


def test_more_name_servers_make_dns_shares_less_exact():
    """Each server knows only its own answers, so that their errors add up as random ones do."""
    assert error(10) < error(10, authorities=3) <= 0.2 < error(10, RANDOM)


@pytest.mark.parametrize('mode', ['all', 'ordered'])
@pytest.mark.parametrize('resolvers', [1, 10, 100])
def test_modes_all_and_ordered_give_backends_equal_shares(mode, resolvers):
    assert ALL == pytest.approx(error(resolvers, mode))


@pytest.mark.parametrize('authorities', [1, 3])
@pytest.mark.parametrize('resolvers', [1, 2, 3, 5, 10, 30])
def test_dns_mode_auto_is_nearly_as_exact_as_the_best_mode(resolvers, authorities):
    better = min(ALL, error(resolvers, authorities=authorities))
    assert error(resolvers, 'auto', authorities) <= 1.1 * better + 0.01


def test_more_resolvers_make_dns_shares_more_exact():
    errors = [error(resolvers) for resolvers in (1, 3, 10, 30, 100)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] <= 0.03


def test_with_one_resolver_some_backend_gets_no_clients():
    assert 1.0 == pytest.approx(error(1))


def test_runs_with_the_same_seed_have_the_same_share_error():
    one = mean_error(Crowd(SHARES, 10, 3), 20, 5)
    assert one == mean_error(Crowd(SHARES, 10, 3), 20, 5) != mean_error(Crowd(SHARES, 10, 3), 20, 6)


def test_sim_caches_prints_a_row_for_each_resolver_count(capsys):
    assert 0 == main(['sim', 'caches', '--resolvers', '1,10', '--mode', 'all,membership',
                      '--windows', '20', '--shares', '26,31,43', '--processes', '1'])
    heading, one, ten, _says = capsys.readouterr().out.splitlines()
    assert ['resolvers', 'all', 'membership'] == heading.split()
    assert ['1', '0.282', '1.000'] == one.split()
    assert ['10', '0.282'] == ten.split()[:2]


@pytest.mark.parametrize(('option', 'value', 'says'), [
    ('--shares', '.5', "--shares '.5': must be 2 to 254 numbers above 0"),
    ('--shares', '.5,x', "--shares '.5,x'"), ('--shares', '1,nan', "--shares '1,nan'"),
    ('--resolvers', '0', "--resolvers '0': must be numbers from 1 on"),
    ('--mode', 'no', "--mode 'no': must be one of all, ordered"),
    ('--ttl', '0', '--ttl 0: must be 1 or more'), ('--windows', '0', '--windows 0')])
def test_wrong_options_of_sim_caches_are_reported(capsys, option, value, says):
    assert 1 == main(['sim', 'caches', option, value])
    assert says in capsys.readouterr().err
