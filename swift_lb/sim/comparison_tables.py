"""The tables of a comparison: a row for each scenario, a column for each policy."""
from swift_lb.drawing.document import ReportTable
from swift_lb.drawing.numbers import UNKNOWN, milliseconds, share, spread, three_digits
from swift_lb.policy import SHARING
from swift_lb.sim.contenders import AFFINITY, ORACLE, SHARED, name_of
from swift_lb.sim.ratios import percentile

SHUFFLE, P99, P999 = 'shuffle', percentile(99), percentile(99.9)
GEOMETRIC_MEAN = 'geometric mean'


def ratios(grid, reference, value, caption):
    """Return a table of each policy's value(figures) as a ratio to that of policy `reference`.

    `value` is a function that takes a run's figures and returns one, such as the p99; `caption`
    names this figure.
    """
    rows = [(scenario, *(spread(grid.to(reference, scenario, policy, value), three_digits)
                         for policy in grid.policies)) for scenario in grid.scenarios]
    means = [three_digits(grid.mean_to(reference, policy, value)) for policy in grid.policies]
    return ReportTable(f'{caption} as a ratio to that of `{reference}`; {seeds_caption(grid)}',
                       ('scenario', *grid.policies), (*rows, (GEOMETRIC_MEAN, *means)))


def seeds_caption(grid):
    """Return the part of a caption that says over how many seeds the table's cells are medians."""
    if len(grid.seeds) == 1:
        return 'one seed'
    return f'the median over {len(grid.seeds)} seeds (least..greatest)'


def every(grid):
    """Return the ReportTables of a comparison, first ratios, then absolute figures, by scenario."""
    references = (ORACLE, SHUFFLE, *({AFFINITY} & {*grid.policies}))
    return (
        *(ratios(grid, policy, P99, 'p99 of the response time') for policy in references),
        _absolute(grid, P99, milliseconds, 'p99 of the response time, ms', best=True),
        ratios(grid, ORACLE, P999, 'p99.9 of the response time'),
        _absolute(grid, lambda figures: figures['throughput'], three_digits,
                  'Reads answered per second'),
        _absolute(grid, failures, share, 'Reads that failed'),
        _absolute(grid, lambda figures: figures['requests'], '{:.3f}'.format,
                  'Requests to devices for each read'),
        _absolute(grid, lambda figures: figures['busiest'], three_digits,
                  'Share of the busiest device; 1 is its fair share'),
        _absolute(grid, lambda figures: figures['worst_second'], three_digits,
                  'Greatest share of a device in any second'))


def contests(grid):
    """Return tables of the p99 of swift-lb's own policies, as ratios to that of the best baseline.

    Baselines are the policies as their authors define them; in a second table also those that
    share a book of counts in each host, as swift-lb's own do. The best of many is partly luck:
    a difference of a few per cent means nothing.
    """
    ours = [label for label in grid.policies if name_of(label) in SHARING]
    others = [label for label in grid.policies if label not in ours and label != ORACLE]
    alone = [label for label in others if SHARED not in label]
    rivalries = [(alone, 'the best baseline, as its authors have it')]
    if alone != others:
        rivalries.append((others, 'the best baseline, those with one book a host included'))
    return tuple(_contest(grid, ours, rivals, caption) for rivals, caption in rivalries
                 if ours and rivals)


def _contest(grid, ours, rivals, caption):
    rows, without = [], set(grid.policies) - set(rivals)
    for scenario in grid.scenarios:
        best = grid.best(scenario, P99, without)
        rows.append((scenario, best or UNKNOWN, *(
            spread(best and grid.to(best, scenario, label, P99), three_digits) for label in ours)))
    means = {label: grid.mean_to(ORACLE, label, P99) for label in (*rivals, *ours)}
    known = {label: means[label] for label in rivals if means[label]}
    least = min(known, key=known.get, default=None)
    rows.append((GEOMETRIC_MEAN, least or UNKNOWN, *(three_digits(
        means[label] / means[least] if least and means[label] else None) for label in ours)))
    return ReportTable(
        f'p99 to that of {caption}; {seeds_caption(grid)}; at the end the geometric means, to that '
        'of the single best', ('scenario', 'best', *ours), tuple(rows))


def failures(figures):
    """Return the fraction of a run's reads that failed, None if there was no read."""
    every_one = figures['reads'] + figures['failed']
    return figures['failed'] / every_one if every_one else None


def _absolute(grid, value, write, caption, best=False):
    rows = []
    for scenario in grid.scenarios:
        named = (grid.best(scenario, value, (ORACLE,)) or UNKNOWN,) if best else ()
        rows.append((scenario, *(spread(grid.of(scenario, policy, value), write)
                                 for policy in grid.policies), *named))
    named = (f'least, but for {ORACLE}',) if best else ()
    return ReportTable(
        f'{caption}; {seeds_caption(grid)}', ('scenario', *grid.policies, *named), tuple(rows))
