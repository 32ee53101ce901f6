"""The report of a comparison: summary.md, report.html and charts of all complete runs."""
import importlib.util

from swift_lb.drawing.document import Picture, Section, Text
from swift_lb.drawing.numbers import plural
from swift_lb.errors import SimulationError
from swift_lb.experiment import report
from swift_lb.sim import comparison_figures, comparison_tables, shipped
from swift_lb.sim.comparison_tables import P99, SHUFFLE
from swift_lb.sim.contenders import ORACLE, says

TITLE = 'Replica selection policies in virtual time'


def write(grid, directory, command):
    """Write the report of a Grid, which quotes `command`, into the Path `directory`.

    Returns the Paths of the written files. Without matplotlib there are no charts.
    """
    parts = sections(grid, command, importlib.util.find_spec('matplotlib') is not None)
    try:
        return report.write(TITLE, parts, directory)
    except OSError as err:
        raise SimulationError(f'{directory}: the report cannot be written ({err.strerror})'
                              ) from None


def sections(grid, command, drawn):
    """Return the Sections of the report of a Grid, with charts if `drawn` is true."""
    tables = comparison_tables.every(grid)
    pictures = _pictures(grid) if drawn else ()
    return [
        Section('What was simulated', (
            Text(f'{plural(len(grid.scenarios), "scenario")}, '
                 f'{plural(len(grid.policies), "policy", "policies")}, '
                 f'{plural(len(grid.seeds), "seed")}. Made by `{command}`.'),
            Text('Scenarios:', tuple(f'`{name}`: {shipped.load(name).says}'
                                     for name in grid.scenarios)),
            Text('Policies:', tuple(f'`{label}`: {says(label)}' for label in grid.policies)))),
        Section('p99', (*pictures[:2], *tables[:3], *comparison_tables.contests(grid))),
        Section('Distributions, p99.9, failures, shares', (*pictures[2:], *tables[3:])),
        Section('How to read it', (Text(
            f'`{ORACLE}` sees every queue and every speed: what no policy of a proxy can know. A '
            'ratio compares two policies with the same seed, which means the same requests at the '
            'same instants. Failed reads are in no percentile: look at both. In `overload` queues '
            'grow as long as the run lasts, whatever the policy.'),))]


def _pictures(grid):
    heats = tuple(Picture(
        f'p99-to-{reference}', f'p99 as a ratio to that of `{reference}`: 1 is as good',
        comparison_figures.heat(grid, reference, P99, f'p99-to-{reference}',
                                f'p99 as a ratio to {reference}, policies by scenarios'))
        for reference in (ORACLE, SHUFFLE))
    return (*heats, Picture(
        'distributions', 'Response times in a few scenarios: the part of the reads that takes '
        'longer; lower and further left is better',
        comparison_figures.distributions(grid, 'distributions')))
