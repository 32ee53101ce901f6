"""Claims of section 4 of the LB-RLT paper, each tested on the data of one evaluation."""
from bench.paper_claims import crowd_claims
from bench.paper_claims.duels import (
    NO,
    OPEN,
    PARTLY,
    UNKNOWN,
    YES,
    Claim,
    against_others,
    agreed,
    duel_with_best,
    pairwise,
)

from swift_lb.drawing.numbers import gain
from swift_lb.drawing.text import listed
from swift_lb.evaluation.comparison import summary
from swift_lb.evaluation.tables import (
    REFERENCE,
    counting,
    held,
    mean_count,
    others,
    response_rows,
)
from swift_lb.evaluation.targets import paper_name

PAPERS_GAIN = {'4KB': '11.58 %', '16KB': '10.89 %'}    # tables 8 and 9
NOWHERE = 'no number of workers at which every policy answered everything'


def judge(results, slow):
    """Return [Claim] for the policies in the evaluation's Results; `slow`: numbers of slow nodes.
    """
    return [claim for rule in (*CLAIMS, *crowd_claims.CLAIMS) for claim in rule(results, slow)]


def lowest(results, _slow):
    """Yield a Claim a size: LB-RLT has the lowest response time where all policies answered all."""
    for size in _compared_sizes(results):
        good = counting(results, size)
        result, winners = duel_with_best({workers: row for workers, row in _against_others(
            results, size, lambda point: point.response_time()).items() if workers in good})
        yield Claim('paper, 4.2', f'LB-RLT has the lowest mean response time, {size}',
                    result.verdict, f'against the best of the others: {result}{winners}'
                    if good else NOWHERE)


def on_average(results, _slow):
    """Yield a Claim a size: mean(best other's time / LB-RLT's - 1) is above 0 in all repeats."""
    for size in _compared_sizes(results):
        total = summary(response_rows(results, size))
        means = [result.mean for one in results.repeats()
                 if (result := summary(response_rows(one, size)))]
        said = f' (the paper: {PAPERS_GAIN[size]})' if size in PAPERS_GAIN else ''
        yield Claim('paper, 4.3', f'On average LB-RLT answers sooner than the best of the others, '
                                  f'{size}{said}',
                    UNKNOWN if total is None else agreed([YES if mean > 0 else NO
                                                          for mean in means]),
                    NOWHERE if total is None else
                    f'mean {gain(total.mean)}, best {gain(total.best)}, worst {gain(total.worst)}; '
                    f'mean of each repeat: {listed(map(gain, means))}')


def longest(results, _slow):
    """Yield a Claim a size: LB-RLT answers everything up to more workers than any other policy."""
    for size in _compared_sizes(results):
        reach = {label: held(results, label, size) or 0
                 for label in (REFERENCE, *others(results.plan))}
        most, own = max(reach.values()), reach[REFERENCE]
        alone = [*reach.values()].count(most) == 1
        yield Claim('paper, 4.2', f'LB-RLT answers everything up to more workers than any other, '
                                  f'{size}',
                    NO if own < most else YES if alone else
                    OPEN if most == max(results.plan.workers) else PARTLY,
                    '100 % up to: ' + listed(f'{label} {reach[label] or "none"}'
                                             for label in reach))


def most_throughput(results, _slow):
    """Yield a Claim a size: LB-RLT has the highest throughput from the median of the workers on."""
    numbers = sorted(results.plan.workers)
    upper = numbers[len(numbers) // 2:]
    for size in _compared_sizes(results):
        rows = {workers: row for workers, row in _against_others(
            results, size, lambda point: point.throughput('read')).items()
            if workers in upper}
        result, winners = duel_with_best(rows, most=True)
        yield Claim('paper, 4.2', 'From the middle of the numbers of workers on LB-RLT has the '
                                  f'greatest throughput of reads, {size}', result.verdict,
                    f'against the best of the others: {result}{winners}')


def most_operations(results, _slow):
    """Yield a Claim a size: LB-RLT, and then LB-RW, have the most successful reads in table 7."""
    for size in _compared_sizes(results):
        counts = _read_counts(results, size)
        result = agreed([_first_two(_read_counts(one, size)) for one in results.repeats()])
        yield Claim('paper, table 7', f'LB-RLT reads most objects with success, then LB-RW, {size}',
                    result if counts else UNKNOWN,
                    ' > '.join(f'{label} {counts[label]:,.0f}' for label in _order(counts))
                    or NOWHERE)


def _read_counts(results, size):
    """Return {policy's label: mean count of reads, as in table 7}; {} without data."""
    good = counting(results, size)
    return {label: mean_count(results.line(label, size), good, 'read')
            for label in (REFERENCE, *others(results.plan))} if good else {}


def _order(counts):
    return sorted(counts, key=counts.get, reverse=True)


def _first_two(counts):
    order = _order(counts)
    if not order:
        return UNKNOWN
    return (YES if [paper_name(label) for label in order[:2]] == ['LB-RLT', 'LB-RW'] else
            PARTLY if order[0] == REFERENCE else NO)


def timing(results, _slow):
    """Yield Claims: ordering nodes by connect time is no better than ordering them at random."""
    for timed, plain in (('swift:timing', 'swift:shuffle'), ('connect_time', 'shuffle')):
        if {timed, plain} <= set(results.plan.policies):
            for size in results.plan.sizes:
                result = pairwise(results, size, timed, plain)
                yield Claim('paper, 4.1', f'Connect times order no better than chance: {timed} '
                                          f'against {plain}, {size}', result.not_ahead, str(result))


def same_as_swift(results, _slow):
    """Yield a Claim a size: swift-lb's shuffle is no slower than Swift's, a check of the bench."""
    if {'shuffle', 'swift:shuffle'} <= set(results.plan.policies):
        for size in results.plan.sizes:
            result = pairwise(results, size, 'shuffle', 'swift:shuffle')
            yield Claim('check', f'swift-lb\'s shuffle is no slower than Swift\'s own, {size}',
                        result.not_behind, str(result))


def other_clock(results, _slow):
    """Yield a Claim a size: LB-RLT answers sooner if the request starts the first chunk's clock."""
    other = f'{REFERENCE}@read'
    if {REFERENCE, other} <= set(results.plan.policies):
        for size in results.plan.sizes:
            result = pairwise(results, size, REFERENCE, other)
            yield Claim('swift-lb', f'LB-RLT answers sooner if the first chunk\'s clock starts '
                                    f'with the request ({REFERENCE} against {other}), {size}',
                        result.verdict, str(result))


def tails(results, _slow):
    """Yield a Claim a size: LB-RLT has the lowest p99 of reads of all policies."""
    for size in _compared_sizes(results):
        rest = [label for label in results.plan.policies if label != REFERENCE]
        result, winners = duel_with_best(against_others(
            results, size, REFERENCE, rest, lambda point: point.tail_of_each(99)))
        yield Claim('swift-lb', f'LB-RLT has the lowest p99 of all that was measured, {size}',
                    result.verdict, f'against the best of all others: {result}{winners}')


def _compared_sizes(results):
    """Return the sizes of the evaluation; () unless LB-RLT and another policy were measured."""
    there = REFERENCE in results.plan.policies and others(results.plan)
    return results.plan.sizes if there else ()


def _against_others(results, size, value):
    return against_others(results, size, REFERENCE, others(results.plan), value)


CLAIMS = (lowest, on_average, longest, most_throughput, most_operations, timing, tails,
          other_clock, same_as_swift)
