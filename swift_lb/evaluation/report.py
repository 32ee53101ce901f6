"""The report of an evaluation: what was measured, tables and charts of the results, and notes."""
from pathlib import Path

from swift_lb.drawing import markdown
from swift_lb.drawing.document import Picture, ReportTable, Section, Text
from swift_lb.drawing.numbers import UNKNOWN, duration, plural, three_digits
from swift_lb.errors import EvaluationError
from swift_lb.evaluation import capacity_tables, tables, targets
from swift_lb.evaluation.figures import curves, herding, share
from swift_lb.evaluation.plan import BEFORE, MEASURED
from swift_lb.evaluation.results import Results
from swift_lb.experiment import report

TITLE = 'Replica selection policies, evaluated'
# What the figures mean, and their limits.
ALWAYS = (
    'Workers are clients in a closed loop: each sends its next operation when the last has been '
    'answered. While a node stalls they ask less, so the slow tail is understated (coordinated '
    'omission); an open loop would show more of it.',
    'Throughput and mean response times are by the clock: of whatever was answered in the measured '
    'window. Success ratios, numbers of operations and percentiles are of operations that began '
    'and ended in it, as COSBench counts; that leaves long ones out sooner than short ones, so '
    'percentiles of the largest numbers of workers are understated.',
    'Policies take turns, and take turns at being first; a difference smaller than what repeats of '
    'one policy differ by is no difference.',
    'Percentiles are of the response times of all repeats together.',
)
ON_LAB = (
    f'With many workers the window is longer than asked for, so that each has its turn some '
    f'{BEFORE} times before it and {MEASURED} times in it.',
    'Each run begins with freshly started proxies, which know nothing. The paper does not say it '
    'did so.',
    'The nodes are slow by queues in front of real object servers: a request takes a slot, first '
    'come first served, for a random time. That time does not depend on the size of the object, so '
    '4 KB and 16 KB differ less here than on the paper\'s disks.',
    'All runs on one machine. The nodes\' capacity is far below what the machine can do, but what '
    'the proxy itself takes, some milliseconds a request, is part of every response time.',
    'The proxies wait longer for memcached than Swift does by default, on more connections: else '
    'hundreds of workers that come at once get 401, because no token can be checked.',
    'The paper measured 300 s for each number of workers, once, in lines of 5 s. Here it is less, '
    'as told above, but repeated, and in lines of 1 s.',
    'LB-RW\'s weights and Swift\'s affinity leave the slowest node out, as the paper\'s did.',
    'E may be above 1: t_min includes the proxy\'s time, in which no slot is taken. On unlike '
    'nodes t_min is that of the fastest, which makes E smaller.',
    'A write asks every replica. Its share of the nodes is the same under every policy: policies '
    'order reads only.',
)
ON_CLUSTER = (
    'The cluster was measured as it is: its policy is its own, and which node served a read, and '
    'what the nodes can do alone, is not known from outside. Runs are as long as asked for; with '
    'more workers than have many turns in that time, the slowest answers are missing.',
)


def write(store, steps):
    """Write the report of the Store, whose plan has these `steps`; return the Path of its page."""
    results = Results(store.plan, [*store.results.values()])
    parts, folder = sections(results, store, steps), Path(store.directory)
    try:
        for old in (folder / markdown.FOLDER).glob('*.svg'):
            old.unlink()
        page, _summary = report.write(TITLE, parts, folder)
        return page
    except OSError as err:
        raise EvaluationError(f'{folder}: the report cannot be written ({err.strerror})') from None


def sections(results, store, steps):
    """Return the Sections of the report in their order; those without content are omitted."""
    wanted = [
        Section('What was measured', _setting(store, steps)),
        Section('Operations with success', (tables.operations(results),)),
        Section('Response times', tuple(tables.response_times(results, size, 8 + number)
                                        for number, size in enumerate(results.plan.sizes))),
        Section('Which node served the reads', _shares(results)),
        Section('Success, throughput and response time against workers', _curves(results)),
        Section('The slow ones: p99 and p99.9', (
            _picture('tails', 'p99 and p99.9 of the response time of reads',
                     curves.draw_tails, results),
            *(tables.tails(results, size) for size in results.plan.sizes))),
        Section('Capacity: MAX, % of MAX and E', (
            capacity_tables.nodes_alone(results),
            *(capacity_tables.put_to_use(results, size) for size in results.plan.sizes))),
        Section('Spread', tuple(tables.spreads(results, size) for size in results.plan.sizes)),
        Section('Failures', (tables.failures(results), tables.missing(results))),
        Section('How to read it', (Text('What to know of the numbers:', ALWAYS + (
            ON_LAB if results.plan.on_lab else ON_CLUSTER)),)),
    ]
    whole = [Section(section.title, tuple(part for part in section.parts if part))
             for section in wanted]
    return [section for section in whole if section.parts]


def _picture(name, caption, draw, *of):
    drawn = draw(*of, name)
    return Picture(name, caption, drawn) if drawn else None


def _shares(results):
    size = results.plan.sizes[-1]
    return (_picture('figure-2', f'Figure 2: share of the reads each node served, {size}; the '
                     'runs of one repeat side by side, fewest workers first',
                     share.draw, results, size),
            _picture('herding', 'Herding: how much of a second\'s reads its most-read node serves; '
                     'the dotted line is an even share', herding.draw, results),
            capacity_tables.herding(results))


def _curves(results):
    return tuple(part for number, size in enumerate(results.plan.sizes, 3) for part in (
        _picture(f'figure-{number}', f'Figure {number}: reads of {size} objects; upright lines are '
                 'the least and the greatest repeat', curves.draw, results, size),
        tables.throughputs(results, size)))


def _setting(store, steps):
    plan = store.plan
    done = sum(store.finished(step) for step in steps)
    took = sum(run.took for run in store.results.values())
    items = [f'{done} of {len(steps)} runs have figures; they took {duration(took)}',
             *dict.fromkeys(f'`{run["command"]}`' for run in store.runs),
             *(f'begun {first["began"]}, last {last["began"]}'  # absent if plan.json was lost
               for first, last in zip(store.runs[:1], store.runs[-1:], strict=True)),
             *dict.fromkeys(', '.join(f'{name} {value}' for name, value in run['versions'].items())
                            for run in store.runs),
             _place(plan), f'{plan.read} % reads of {plan.objects} objects, the rest writes of '
             f'others; {plan.repeats} repeats of at least {plan.ramp_up} s ramp-up and '
             f'{plan.seconds} s measured; sizes {", ".join(plan.sizes)}; workers '
             f'{", ".join(map(str, plan.workers))}']
    return (Text('The setting:', tuple(items)), _approaches(plan))


def _place(plan):
    place = plan.place
    if not plan.on_lab:
        return (f'a cluster as it is, called {place.label}: {place.auth or place.endpoints[0]}; '
                f'{plural(place.replicas, "replica")}')
    nodes = ', '.join(f'SN{number} {three_digits(limit)}/s'
                      for number, limit in enumerate(place.capacity, 1))
    return (f'a lab: {plural(place.nodes, "storage node")} of {plural(place.devices, "device")}, '
            f'{plural(place.replicas, "replica")}, {plural(place.proxies, "proxy", "proxies")} of '
            f'{plural(plan.proxy_workers[0], "worker process", "worker processes")}; '
            f'profile {place.profile}: {nodes}')


def _approaches(plan):
    rows = tuple((label, targets.paper_name(label) or UNKNOWN,
                  'Swift\'s own (egg:swift#proxy)' if label.startswith('swift:') else
                  'swift-lb (egg:swift-lb#proxy)') for label in plan.policies)
    return ReportTable('Approaches', ('label', 'in the paper', 'by'), rows) if plan.on_lab else None
