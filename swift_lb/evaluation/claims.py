"""Claims of the LB-RLT paper's section 4, each held against the data of one evaluation."""
from swift_lb.drawing.numbers import gain
from swift_lb.drawing.text import listed
from swift_lb.evaluation import crowd_claims
from swift_lb.evaluation.comparison import summary
from swift_lb.evaluation.tables import REFERENCE, counting, held, others, response_rows
from swift_lb.evaluation.targets import paper_name
from swift_lb.evaluation.verdict import NO, OPEN, PARTLY, UNKNOWN, YES, Claim, best_of, duel

PAPERS_GAIN = {'4KB': '11.58 %', '16KB': '10.89 %'}    # tables 8 and 9


def test(results, slow):
    """Return every Claim there are policies for; `slow` are the numbers of the slow nodes."""
    return [claim for make in (*CLAIMS, *crowd_claims.CLAIMS) for claim in make(results, slow)]


def lowest(results, _slow):
    """Yield whether LB-RLT answers soonest."""
    for size in _compared_sizes(results):
        found = duel({workers: (own, best[1]) for workers, own, best in _against_best(
            results, size, lambda point: point.response_time())})
        yield Claim('paper, 4.2', f'LB-RLT has the lowest mean response time, {size}',
                    found.verdict, f'than the best of the others: {found}')


def on_average(results, _slow):
    """Yield whether the mean of (best others / LB-RLT) - 1 is above 0."""
    for size in _compared_sizes(results):
        total = summary(response_rows(results, size))
        said = f' (the paper: {PAPERS_GAIN[size]})' if size in PAPERS_GAIN else ''
        yield Claim('paper, 4.3', f'On average LB-RLT answers sooner than the best of the others, '
                                  f'{size}{said}',
                    UNKNOWN if total is None else YES if total.mean > 0 else NO,
                    'no number of workers at which every policy answered everything'
                    if total is None else
                    f'mean {gain(total.mean)}, best {gain(total.best)}, '
                    f'worst {gain(total.worst)}')


def longest(results, _slow):
    """Yield whether LB-RLT answers everything up to the most workers."""
    for size in _compared_sizes(results):
        reach = {label: held(results.line(label, size)) or 0
                 for label in (REFERENCE, *others(results.plan))}
        most = max(reach.values())
        own = reach[REFERENCE]
        alone = [*reach.values()].count(most) == 1
        yield Claim('paper, 4.2', f'LB-RLT answers everything up to more workers than any other, '
                                  f'{size}',
                    NO if own < most else YES if alone else PARTLY,
                    '100 % up to: ' + listed(f'{label} {reach[label] or "none"}'
                                                   for label in reach))


def most_throughput(results, _slow):
    """Yield whether LB-RLT has the greatest throughput where there are most workers."""
    for size in _compared_sizes(results):
        rows = _against_best(results, size, lambda point: point.throughput('read'), most=True)
        if rows:
            _workers, own, (_label, best) = rows[-1]
            verdict = OPEN if own.overlaps(best) else YES if own.median > best.median else NO
            yield Claim('paper, 4.2', 'With the most workers LB-RLT has the greatest throughput of '
                                      f'reads, {size}', verdict, '; '.join(
                f'{workers} workers: {own.median:.1f}/s, best other {label} {best.median:.1f}/s'
                for workers, own, (label, best) in rows[-3:]))


def most_operations(results, _slow):
    """Yield whether LB-RLT and then LB-RW have most operations with success, as in table 7."""
    for size in _compared_sizes(results):
        good = counting(results, size)
        counts = {label: sum(results.point(label, size, workers).successes('read')
                             for workers in good)
                  for label in (REFERENCE, *others(results.plan))} if good else {}
        order = sorted(counts, key=counts.get, reverse=True)
        first_two = [paper_name(label) for label in order[:2]]
        verdict = (UNKNOWN if not order else YES if first_two == ['LB-RLT', 'LB-RW'] else
                   PARTLY if order[0] == REFERENCE else NO)
        yield Claim('paper, table 7', f'LB-RLT reads most objects with success, then LB-RW, {size}',
                    verdict, ' > '.join(f'{label} {counts[label] / len(good):,.0f}'
                                        for label in order) or
                    'no number of workers at which every policy answered everything')


def timing(results, _slow):
    """Yield whether ordering by connect time is no better than by chance."""
    for timed, plain in (('swift:timing', 'swift:shuffle'), ('connect_time', 'shuffle')):
        if {timed, plain} <= set(results.plan.policies):
            for size in results.plan.sizes:
                found = pairwise(results, size, timed, plain)
                verdict = {YES: NO, NO: YES, OPEN: YES}.get(found.verdict, found.verdict)
                yield Claim('paper, 4.1', f'Connect times order no better than chance: {timed} '
                                          f'against {plain}, {size}', verdict, str(found))


def same_as_swift(results, _slow):
    """Yield whether our shuffle and Swift's are alike: a check of the measurement itself."""
    if {'shuffle', 'swift:shuffle'} <= set(results.plan.policies):
        for size in results.plan.sizes:
            found = pairwise(results, size, 'shuffle', 'swift:shuffle')
            verdict = {NO: NO, PARTLY: PARTLY, UNKNOWN: UNKNOWN}.get(found.verdict, YES)
            yield Claim('check', f'swift-lb\'s shuffle is no slower than Swift\'s own, {size}',
                        verdict, str(found))


def other_clock(results, _slow):
    """Yield whether the clock of the first chunk makes a difference to LB-RLT."""
    other = f'{REFERENCE}@read'
    if {REFERENCE, other} <= set(results.plan.policies):
        for size in results.plan.sizes:
            found = pairwise(results, size, REFERENCE, other)
            yield Claim('swift-lb', f'LB-RLT answers sooner if the first chunk\'s clock starts '
                                    f'with the request ({REFERENCE} against {other}), {size}',
                        found.verdict, str(found))


def tails(results, _slow):
    """Yield whether LB-RLT has the lowest p99 of reads."""
    for size in _compared_sizes(results):
        won, lost = [], []
        for workers in sorted(results.plan.workers):
            p99 = {label: point.percentile(99) for label in results.plan.policies
                   if (point := results.point(label, size, workers)) and point.successes('read')}
            if REFERENCE in p99 and len(p99) > 1:
                best = min(p99, key=p99.get)
                (won if best == REFERENCE else lost).append((workers, best))
        verdict = UNKNOWN if not won + lost else PARTLY if won and lost else YES if won else NO
        yield Claim('swift-lb', f'LB-RLT has the lowest p99 of all that was measured, {size}',
                    verdict, f'at {listed(number for number, _best in won) or "no"} '
                    'workers; elsewhere ' + (listed(
                        f'{best} at {number}' for number, best in lost) or 'none'))


def pairwise(results, size, one, other):
    """Return the verdict.Duel of two policies' mean response times of reads."""
    first, second = results.line(one, size), results.line(other, size)
    pairs = {workers: (first[workers].response_time(), second[workers].response_time())
             for workers in first if workers in second}
    return duel({workers: pair for workers, pair in pairs.items() if all(pair)})


def _compared_sizes(results):
    """The sizes, if LB-RLT was measured beside something."""
    there = REFERENCE in results.plan.policies and others(results.plan)
    return results.plan.sizes if there else ()


def _against_best(results, size, value, most=False):
    """Return [(workers, LB-RLT's Span, (label, Span) of the best other)]."""
    rows = []
    for workers, point in results.line(REFERENCE, size).items():
        best = best_of({label: results.point(label, size, workers)
                        for label in others(results.plan)}, value, most)
        if (own := value(point)) and best:
            rows.append((workers, own, best))
    return rows


CLAIMS = (lowest, on_average, longest, most_throughput, most_operations, timing, tails,
          other_clock, same_as_swift)
