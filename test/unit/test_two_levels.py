"""The arithmetic of test/bench/two_levels: order of runs, ratios, scale of bars, DNS look-ups."""
import asyncio
import itertools

from bench.dispatchers.figures import RunFigures, medians
from bench.two_levels.clients import Name, Resolving
from bench.two_levels.combinations import ALL, BOTH, DISP, DNS, HALF, NONE, runs, scenarios
from bench.two_levels.picture import unit
from bench.two_levels.table import ratio, table
from support.load import Load

QUIET, UNEVEN = scenarios((4,), 0.25)


def run(rate):
    return RunFigures(rate, 0.1, 0.2, 0, 0.0, 0.01, [0.25] * 4)


def test_clients_ask_all_proxies_or_half_of_them_by_scenario():
    assert (QUIET.asked, UNEVEN.asked) == (4, 2)
    assert QUIET.all_clients == UNEVEN.all_clients
    assert QUIET.most == UNEVEN.most == 32


def test_a_round_of_runs_has_all_combinations_in_both_scenarios():
    for block in (0, 1):
        result = runs(block)
        assert sorted(result) == sorted((figure, one) for figure in (ALL, HALF)
                                        for one in (NONE, DNS, DISP, BOTH))
        levels = [one.dispatcher for _figure, one in result]
        assert sum(one != other for one, other in itertools.pairwise(levels)) == 1
    assert [one for _figure, one in runs(0)[:2]] == [NONE, DNS]
    assert [one for _figure, one in runs(1)[:2]] == [BOTH, DISP]


def test_the_table_has_medians_over_runs_and_their_ratios():
    figures = medians({QUIET: {'none': [], 'disp': []},
                    UNEVEN: {'none': [run(10), run(20), run(16)], 'disp': [run(32)], 'dns': []}})
    assert [*figures] == [UNEVEN]
    assert {name: one.rate for name, one in figures[UNEVEN].items()} == {'none': 16, 'disp': 32}
    assert ratio(figures[UNEVEN], 'disp') == 2.0
    assert ratio(figures[UNEVEN], 'dns') is None
    assert ratio({'disp': run(32)}, 'disp') is None
    assert 'disp / none = 2.00, dns_disp / none = -; wanted: 1.8 at least' in table(figures)[-1]


def test_bars_are_scaled_to_the_unbalanced_rate_of_fewest_proxies():
    assert unit({4: {'none': run(16)}, 2: {'none': run(8), 'disp': run(9)}}) == (2, 8)
    assert unit({2: {'disp': run(9)}, 4: {'none': run(16)}}) == (4, 16)
    assert unit({2: {'disp': run(9)}}) is None


def resolving(ttl):
    load = Load([['192.0.2.1', 8080], ['192.0.2.2', 8080]], ['/v1/a/c/o'], {}, 1.0, clients=2)
    return Resolving(Name('swift.example.com', 8080, ttl), load, None)


def addresses(clients, numbers):
    async def asked():
        return [(await clients.address(number))[0][-1] for number in numbers]
    return ''.join(asyncio.run(asked()))


def test_a_resolver_takes_the_next_address_when_the_ttl_ends():
    assert addresses(resolving(1000), (0, 1, 0, 0, 1, 2)) == '121121'
    assert addresses(resolving(0), (0, 1, 0, 0, 1, 2)) == '121212'
