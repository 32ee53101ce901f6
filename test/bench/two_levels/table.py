"""The table of results, and the verdict on Figure 6."""
from bench.two_levels.combinations import BOTH, DISP, HALF, NONE, SAYS

WANTED = 1.8        # times what half of the proxies serve without dispatchers
HEAD = (f'{"":12}{"req/s":>7}{"% MAX":>7}{"p50, ms":>9}{"p99, ms":>9}{"errors":>8}{"delegated":>11}'
        f'{"CPU, ms":>9}{"/ none":>8}   served by each proxy, %')


def ratio(by_name, name, other=NONE.name):
    """Return the rate of `name` / rate of `other`, of {combination's name: RunFigures}, or None.

    None: one of the two is missing, or the rate of `other` is 0."""
    if name not in by_name or not (other in by_name and by_name[other].rate):
        return None
    return by_name[name].rate / by_name[other].rate


def table(by_scenario):
    """Return the table, as lines, of {LabScenario: {combination's name: median RunFigures}}."""
    lines = [HEAD]
    for scenario, by_name in by_scenario.items():
        lines.append(f'{scenario.title}: {SAYS[scenario.name]}')
        lines += [line(scenario, name, by_name) for name in by_name]
    return lines + verdicts(by_scenario)


def line(scenario, name, by_name):
    """Return the table's row of the combination `name` in a LabScenario; `by_name` has all."""
    one = by_name[name]
    shares = ' '.join(f'{share:.0%}'[:-1] for share in one.shares)
    return (f'  {name:10}{one.rate:7.1f}{one.rate / scenario.most:7.1%}{1e3 * one.p50:9.0f}'
            f'{1e3 * one.p99:9.0f}{one.errors:8.0f}{one.delegated:11.1%}{1e3 * one.cpu:9.2f}'
            f'{written(ratio(by_name, name)):>8}   {shares}')


def verdicts(by_scenario):
    """Return a line for each number of proxies of Figure 6: the ratios to `none`, and WANTED."""
    return [f'{HALF}, {scenario.proxies} proxies: '
            + ', '.join(f'{one.name} / {NONE.name} = {written(ratio(by_name, one.name))}'
                        for one in (DISP, BOTH)) + f'; wanted: {WANTED} at least'
            for scenario, by_name in by_scenario.items() if scenario.name == HALF]


def written(number):
    """Return a ratio as text, with two decimals; '-' for None."""
    return '-' if number is None else f'{number:.2f}'
