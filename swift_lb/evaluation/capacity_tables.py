"""Tables of how much of the nodes' capacity each policy uses, and how evenly it spreads reads."""
from swift_lb.drawing.document import ReportTable
from swift_lb.drawing.numbers import UNKNOWN, milliseconds, share, spread, three_digits
from swift_lb.evaluation.comparison import efficiency
from swift_lb.evaluation.plan import MINIMAL
from swift_lb.evaluation.tables import heading


def greatest(results):
    """Return MAX: the sum of the reads/s of each node alone, in Results; None if one is unknown."""
    alone = results.alone()
    if not alone or len(alone) < results.plan.place.nodes:
        return None
    return sum(busy.throughput().median for _idle, busy in alone.values())


def slots(plan):
    """Return N, the requests that all nodes together serve at once; None if a node has no limit."""
    slots_of_nodes = getattr(plan.place, 'slots', ()) or (None,)
    return None if None in slots_of_nodes else sum(slots_of_nodes)


def nodes_alone(results):
    """Return the table of each node's capacity, measured alone, in Results; None if none was."""
    rows = []
    for node, (idle, busy) in results.alone().items():
        span, most = idle.response_time(), busy.throughput().median
        t_min = span and span.median
        number = results.plan.place.slots[node - 1]
        rows.append((f'SN{node}', three_digits(results.plan.place.capacity[node - 1]),
                     milliseconds(t_min), three_digits(most), str(number or UNKNOWN),
                     three_digits(efficiency(t_min, most, number))))
    if greatest(results):
        rows.append(('MAX', '', '', three_digits(greatest(results)), '', ''))
    return ReportTable(
        'Each node alone, reads only: all other nodes weigh 0. t_min at one worker, th '
        'with more workers than it can serve; E = t_min * th / N',
        ('node', 'by its profile, 1/s', 't_min, ms', 'th, 1/s', 'N: slots', 'E'),
        tuple(rows)) if rows else None


def least_time(results, size):
    """Return the least of the policies' mean times of a read with one worker, in s, or None.

    `results` are the Results, `size` is that of the objects, such as 4KB.
    """
    times = [span.median for policy in results.plan.policies
             if (point := results.point(policy, size, MINIMAL)) and (span := point.response_time())]
    return min(times, default=None)


def requests_of(results, point):
    """Return the requests/s that nodes served for the successes of `point`, a RepeatedRuns.

    A read is one request, a write one for each replica.
    """
    reads, writes = (span.median if (span := point.throughput(op)) else 0
                     for op in ('read', 'write'))
    return reads + writes * results.plan.place.replicas


def saturation(results, policy, size):
    """Return (workers, RepeatedRuns) with the most requests/s at nodes, None if all runs failed.

    Only those runs in the Results count that have the `policy` and objects of `size`.
    """
    line = results.line(policy, size)
    return max(line.items(), key=lambda pair: requests_of(results, pair[1]), default=None)


def put_to_use(results, size):
    """Return the table of each policy's greatest throughput, as % of MAX and as efficiency E.

    MAX is the sum of what each node serves alone; E = least_time() x requests/s / slots() is the
    part of the nodes' slots in use. `size` is the size of the objects.
    """
    most, number, t_min = greatest(results), slots(results.plan), least_time(results, size)
    rows = []
    for policy in results.plan.policies:
        if (saturated := saturation(results, policy, size)) is None:
            continue
        workers, point = saturated
        served = requests_of(results, point)
        rows.append((heading(policy), str(workers), spread(point.throughput(), three_digits),
                     three_digits(served), share(most and served / most),
                     three_digits(efficiency(t_min, served, number))))
    return ReportTable(
        f'{size}: greatest throughput, and how much of the nodes it put to use. th counts a read '
        f'as one request to a node and a write as {results.plan.place.replicas}; '
        f'MAX = {three_digits(most)}/s, t_min = {milliseconds(t_min)} ms, N = {number or UNKNOWN}',
        ('approach', 'at workers', 'operations/s', 'th, 1/s', '% of MAX', 'E'), tuple(rows))


def herding(results):
    """Return the table of the share of a second's reads that the busiest node gets, on average.

    A policy's row has this share, the throughput and p99, each for every number of worker processes
    of a proxy in the Results. None if the plan measures an existing cluster, and not a lab.
    """
    plan = results.plan
    size, workers = plan.sizes[0], plan.herding_workers
    order = sorted(plan.proxy_workers)
    rows = []
    for policy in plan.policies:
        points = [results.point(policy, size, workers, number) for number in order]
        rows.append((heading(policy),
                     *(spread(point and point.crowding(), share) for point in points),
                     *(spread(point and point.throughput(), three_digits) for point in points),
                     *(milliseconds(point.tail(99) if point else None) for point in points)))
    return ReportTable(
        f'Herding, {size}, {workers} workers: the share of the reads that the most-read node of a '
        'second has in that second, on average; by worker processes of each proxy, each of which '
        'keeps what it knows to itself; least..greatest repeat beside the median, p99 from the '
        'response times of all repeats together',
        ('approach', *(f'{title}, {number} proc.' for title in ('most-read', 'op/s', 'p99 ms')
                       for number in order)), tuple(rows)) if plan.on_lab else None
