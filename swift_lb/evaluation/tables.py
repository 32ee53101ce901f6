"""The tables of the report: tables 7 to 9 of the LB-RLT paper with our runs, and further ones."""
from collections import Counter

from swift_lb.drawing.document import ReportTable
from swift_lb.drawing.numbers import UNKNOWN, gain, milliseconds, spread, three_digits
from swift_lb.drawing.text import listed
from swift_lb.evaluation.comparison import compare, summary
from swift_lb.evaluation.targets import paper_name

REFERENCE = 'lb_rlt'
TAILS = (99, 99.9)
PAPERS_STAGE = 300   # seconds


def heading(label):
    """Return a policy's heading: its name in the paper, if any, and its label: `LB-R shuffle`.

    Swift's own methods are marked with ` (Swift)`.
    """
    name = paper_name(label)
    mark = ' (Swift)' if label.startswith('swift:') else ''
    return f'{name}{mark} {label}' if name else f'{label}{mark}'


def others(plan):
    """Return the labels of those policies of `plan`, except LB-RLT, that the LB-RLT paper names."""
    return [label for label in plan.policies if paper_name(label) and label != REFERENCE]


def counting(results, size):
    """Return the set of numbers of workers at which no policy had a failed operation.

    In the Results, only runs with objects of `size` count; each policy must have such a run.
    """
    lines = [results.line(policy, size) for policy in results.plan.policies]
    return {workers for workers in results.plan.workers
            if all(workers in line and line[workers].whole for line in lines)}


def held(results, policy, size):
    """Return the number of workers up to which all operations of `policy` in Results succeeded.

    None if one failed even with the fewest workers. A run without figures ends the range, too.
    """
    most, line = None, results.line(policy, size)
    for workers in sorted(results.plan.workers):
        if workers not in line or not line[workers].whole:
            break
        most = workers
    return most


def operations(results):
    """Return table 7 of the LB-RLT paper: each policy's successful reads and writes in 300 s.

    It has means over the numbers of workers at which no policy had a failed operation.
    """
    plan = results.plan
    columns = [(size, op) for op in ('read', 'write') for size in plan.sizes]
    good = {size: counting(results, size) for size in plan.sizes}
    rows = []
    for policy in plan.policies:
        lines = {size: results.line(policy, size) for size in plan.sizes}
        rows.append((heading(policy), *(_counted(mean_count(lines[size], good[size], op))
                                        for size, op in columns),
                     *(str(held(results, policy, size) or UNKNOWN) for size in plan.sizes)))
    where = '; '.join(f'{size}: {listed(sorted(workers)) or "none"}'
                      for size, workers in good.items())
    return ReportTable(
        f'Table 7: operations with success in {PAPERS_STAGE} s, as long as a stage of the paper, '
        f'at the rate of our runs; mean over the numbers of workers at which every policy answered '
        f'everything ({where})',
        ('approach', *(f'{size} {op}' for size, op in columns),
         *(f'{size}: 100 % up to workers' for size in plan.sizes)), tuple(rows))


def mean_count(line, workers, op):
    """Return how many operations `op` succeed in 300 s, as a mean over numbers of `workers`.

    `line` is {workers: RepeatedRuns}; None if `workers` is empty. 300 s is a stage of the paper.
    """
    counts = [line[number].throughput(op).median * PAPERS_STAGE for number in workers]
    return sum(counts) / len(counts) if counts else None


def _counted(count):
    return UNKNOWN if count is None else f'{count:,.0f}'


def response_rows(results, size):
    """Return a ComparisonRow of mean read times of `size` objects for each number of workers."""
    times = {policy: {workers: span.median if (span := point.response_time()) else None
                      for workers, point in results.line(policy, size).items()}
             for policy in results.plan.policies}
    return compare(times, REFERENCE, others(results.plan), counting(results, size))


def response_times(results, size, number):
    """Return the mean response times of reads of `size` objects, by workers and policy.

    `number` stands in the caption: 8 or 9, as the LB-RLT paper numbers such tables.
    """
    plan = results.plan
    order = sorted(plan.policies, key=lambda label: label != REFERENCE)
    compared = REFERENCE in plan.policies and others(plan)
    rows = [(f'{row.workers}' if row.counts else f'{row.workers} *',
             *(milliseconds(row.times.get(label)) for label in order),
             *((milliseconds(row.best), gain(row.gain)) if compared else ()))
            for row in response_rows(results, size)]
    total = summary(response_rows(results, size)) if compared else None
    for word, value in zip(('mean', 'best', 'worst'), total or (), strict=False):
        rows.append((word, *[''] * (len(order) + 1), gain(value)))
    return ReportTable(
        f'Table {number}: mean response time of reads of {size} objects, ms. * not every policy '
        'answered everything: no part of mean, best and worst',
        ('workers', *map(heading, order),
         *(('best others', '(best others / LB-RLT) - 1') if compared else ())),
        tuple(rows), frozenset([heading(REFERENCE)]))


def tails(results, size):
    """Return the table of p99 and p99.9 of the response time of reads of `size` objects."""
    rows = [(str(workers), *(milliseconds(point.tail(tail) if point else None)
                             for policy in results.plan.policies for tail in TAILS
                             for point in [results.point(policy, size, workers)]))
            for workers in sorted(results.plan.workers)]
    return ReportTable(
        f'p99 and p99.9 of the response time of reads of {size} objects, ms, from the '
        'response times of all repeats together',
        ('workers', *(f'{heading(policy)} p{tail:g}' for policy in results.plan.policies
                      for tail in TAILS)), tuple(rows))


def spreads(results, size):
    """Return the table of mean response times, each with its least and greatest repeat."""
    return _by_workers(results, size, f'Spread over {results.plan.repeats} repeats: mean response '
                       f'time of reads of {size} objects, ms, and of the repeats the '
                       'least..greatest',
                       lambda point: spread(point.response_time(), milliseconds))


def throughputs(results, size):
    """Return the table of successes per second, reads and writes together."""
    return _by_workers(results, size, f'Throughput, {size}: operations with success per second, '
                       'reads and writes together',
                       lambda point: spread(point.throughput(), three_digits))


def _by_workers(results, size, caption, write):
    """Return a table with a row for each number of workers and a column for each policy.

    `write(RepeatedRuns)` returns the text of a cell; a cell without figures has `-`.
    """
    points = {workers: [results.point(policy, size, workers) for policy in results.plan.policies]
              for workers in sorted(results.plan.workers)}
    rows = [(str(workers), *(write(point) if point else UNKNOWN for point in row))
            for workers, row in points.items()]
    return ReportTable(caption, ('workers', *map(heading, results.plan.policies)), tuple(rows))


def failures(results):
    """Return the table of failed operations with their reasons; None if no operation failed."""
    rows = []
    for policy in results.plan.policies:
        for size in results.plan.sizes:
            for workers, point in results.line(policy, size).items():
                counts = Counter()
                for figures in point.figures('all'):
                    counts.update(figures.reasons)
                if counts:
                    rows.append((heading(policy), size, str(workers), ', '.join(
                        f'{count} x {reason}' for reason, count in counts.most_common())))
    return ReportTable(
        'Operations that failed, and why', ('approach', 'size', 'workers', 'reasons'),
        tuple(rows)) if rows else None


def missing(results):
    """Return the table of failed runs, which have no figures, and why; None if no run failed."""
    rows = tuple((heading(run.step.policy), run.step.size, str(run.step.workers),
                  str(run.step.repeat), run.fault) for run in results.faults)
    return ReportTable(
        'Runs that have no figures', ('approach', 'size', 'workers', 'repeat', 'why'),
        rows) if rows else None
