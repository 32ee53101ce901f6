"""The report's notes on the meaning and the limits of its figures."""
from swift_lb.drawing.document import Text
from swift_lb.evaluation.plan import BEFORE, MEASURED

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


def how_to_read(results):
    """Return the notes on how to read the report of these results, one Text for each paragraph."""
    return (Text('What to know of the numbers:',
                 ALWAYS + (ON_LAB if results.plan.on_lab else ON_CLUSTER)),)
