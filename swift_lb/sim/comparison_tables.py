"""The tables of a comparison: scenarios are rows, policies are columns."""
from swift_lb.drawing.document import Table
from swift_lb.drawing.numbers import UNKNOWN, milliseconds, share, spread, three_digits
from swift_lb.sim.contenders import ORACLE
from swift_lb.sim.ratios import percentile

SHUFFLE, P99, P999 = 'shuffle', percentile(99), percentile(99.9)
GEOMETRIC_MEAN = 'geometric mean'


def ratios(grid, reference, value, caption):
    """Return the table of value(figures) as a ratio to the policy `reference`."""
    rows = [(scenario, *(spread(grid.to(reference, scenario, policy, value), three_digits)
                         for policy in grid.policies)) for scenario in grid.scenarios]
    means = [three_digits(grid.mean_to(reference, policy, value)) for policy in grid.policies]
    return Table(f'{caption} as a ratio to that of `{reference}`; {over(grid)}',
                 ('scenario', *grid.policies), (*rows, (GEOMETRIC_MEAN, *means)))


def over(grid):
    """Return what a cell says of the seeds."""
    if len(grid.seeds) == 1:
        return 'one seed'
    return f'the median over {len(grid.seeds)} seeds (least..greatest)'


def every(grid):
    """Return all tables."""
    return (
        ratios(grid, ORACLE, P99, 'p99 of the response time'),
        ratios(grid, SHUFFLE, P99, 'p99 of the response time'),
        _absolute(grid, P99, milliseconds, 'p99 of the response time, ms', best=True),
        ratios(grid, ORACLE, P999, 'p99.9 of the response time'),
        _absolute(grid, failures, share, 'Reads that failed'),
        _absolute(grid, lambda figures: figures['requests'], '{:.3f}'.format,
                  'Requests to devices for each read'),
        _absolute(grid, lambda figures: figures['busiest'], three_digits,
                  'Share of the busiest device; 1 is its fair share'),
        _absolute(grid, lambda figures: figures['worst_second'], three_digits,
                  'Greatest share of a device in any second'))


def failures(figures):
    """Return the fraction of reads that failed."""
    every_one = figures['reads'] + figures['failed']
    return figures['failed'] / every_one if every_one else None


def _absolute(grid, value, write, caption, best=False):
    rows = []
    for scenario in grid.scenarios:
        named = (grid.best(scenario, value, (ORACLE,)) or UNKNOWN,) if best else ()
        rows.append((scenario, *(spread(grid.of(scenario, policy, value), write)
                                 for policy in grid.policies), *named))
    named = (f'least, but for {ORACLE}',) if best else ()
    return Table(f'{caption}; {over(grid)}', ('scenario', *grid.policies, *named), tuple(rows))
