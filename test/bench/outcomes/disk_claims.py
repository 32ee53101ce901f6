"""The promises about one bad disk among nine, and about one slow node of three."""
import math
from functools import partial

from bench.outcomes import disks
from bench.outcomes.disks import BAD, MEAN, NODE_1, SIBLINGS, Event
from bench.outcomes.outcome import Bound, ClaimFigure
from hdrh.histogram import HdrHistogram

from swift_lb.evaluation.run_result import percentile
from swift_lb.workload.figures import nearest_rank, times

WARM_UP = 4          # seconds, in which the proxies learn what is normal
SLOWER = 0.05        # seconds
ENOUGH = 50          # reads of a slow disk
GIVEN_UP = 9.5       # seconds: longer reads waited for the hung disk until Swift's 10 s were over
TAIL = 40            # seconds, of a p99 of 2,000 reads: 20 of them are later
BACK, LATEST, WINDOW = 0.9, 30, 10     # of its fair share; seconds
LEARN, WHOLE, MOMENT = 5, 30, 10       # seconds: ramp-up, what is measured, and when in it


def slow_disk(lab, seed, say):
    """Return (share of its fair reads of a disk 50 ms slower, least share of a disk beside it).

    The slow disk's share counts from when ENOUGH reads have arrived at it."""
    lab.fresh(seed)
    event = Event(WARM_UP, {'mean': MEAN + SLOWER})
    seen, end = lab.read(WARM_UP, 15, event=event), WARM_UP + 15
    say(seconds(seen, end))
    known = seen.shares.after([BAD], ENOUGH, seen.event, (seen.event + end) / 2)
    return (seen.shares.share([BAD], known, end),
            min(seen.shares.share([one], seen.event, end) for one in SIBLINGS))


def hung_disk(lab, seed, say):
    """Return (most reads stuck on a hung disk, p99.9 of the other reads, reads that failed).

    The p99.9 is divided by that of a healthy lab."""
    lab.fresh(seed)
    healthy = lab.read(WARM_UP, 12)
    lab.fresh(seed)
    seen, end = lab.read(WARM_UP, 16, event=Event(WARM_UP, {'hang': 'yes'})), WARM_UP + 16
    say(seconds(seen, end))
    return (seen.shares.most([BAD], 'hanging', seen.event + 1, end),
            answered(seen.figures, 0.999) / answered(healthy.figures, 0.999),
            seen.figures.failures)


def late_node(rule, lab, seed, say):
    """Return (p99.9, p99, failures) of the reads while a node's handicap `rule` begins.

    Both are divided by those of a run without it; that run comes first with every other seed.
    """
    seen = {}
    for event in ((None, rule), (rule, None))[seed % 2]:
        lab.fresh(seed)
        happens = event and Event(LEARN + MOMENT, event)
        seen[event is None] = lab.read(LEARN, WHOLE, rate=disks.WIDE_READS, event=happens)
    late, healthy = seen[False].figures, seen[True].figures
    tails = [[percentile([each], part) for part in (99.9, 99)] for each in (late, healthy)]
    say(seconds(seen[False], LEARN + WHOLE))
    say('p99.9 and p99, ms: {:.0f} {:.0f}; healthy: {:.0f} {:.0f}'.format(
        *(1000 * one for each in tails for one in each)))
    return (*(ours / theirs for ours, theirs in zip(*tails, strict=True)), late.failures)


def failing_disk(lab, seed, say):
    """Return (share of its fair reads of a disk that answers 503, reads that clients saw fail).

    The share counts from 5 s after the disk began to refuse."""
    lab.fresh(seed)
    event = Event(WARM_UP, {'fail': '100%', 'status': 503})
    seen, end = lab.read(WARM_UP, 12, event=event), WARM_UP + 12
    say(seconds(seen, end))
    return seen.shares.share([BAD], seen.event + 5, end), seen.figures.failures


def repaired_disk(lab, seed, say):
    """Return (seconds until a repaired disk has its fair share again, fraction of all reads).

    The fraction is what was sent to the disk while it was 20 times slower."""
    mended, end = 10, 10 + LATEST + 1
    lab.fresh(seed, {BAD: 20 * MEAN})
    seen = lab.read(1, end - 1, event=Event(mended, {'mean': MEAN}))
    say(seconds(seen, end))
    whole = seen.shares.reads(3, seen.event)
    return (back(seen.shares, seen.event, end), seen.shares.sent([BAD], 3, seen.event) / whole)


def back(shares, since, end):
    """Return the seconds from `since` until the disk BAD had BACK of its share in a WINDOW, or inf.
    """
    for late in range(WINDOW, int(end - since) + 1):
        if shares.share([BAD], since + late - WINDOW, since + late) >= BACK:
            return late
    return math.inf


def cold_start(lab, seed, say):
    """Return a 1-tuple: the share of its fair reads, in its worst second, of a slow new node."""
    lab.fresh(seed, dict.fromkeys(NODE_1, 20 * MEAN))
    seen = lab.read(1, 7)
    say(seconds(seen, 8, NODE_1))
    return max(seen.shares.by_second(NODE_1, 0, 8)),


def fragments(lab, seed, say):
    """Return a 1-tuple: p99 of EC 2+1 reads with a disk 8 times slower, divided by a healthy lab's.
    """
    results = []
    for slow in ({}, {BAD: 8 * MEAN}):
        lab.fresh(seed, slow)
        seen = lab.read(3, TAIL, disks.FRAGMENTS, disks.FRAGMENT_READS)
        results.append(percentile([seen.figures], 99))
    say(seconds(seen, 3 + TAIL))
    return results[1] / results[0],


def answered(figures, fraction):
    """Return the quantile `fraction`, in seconds, of the OpFigures' reads below GIVEN_UP."""
    every = list(times(HdrHistogram.decode(figures.histogram)))
    return nearest_rank([step for step in every if step[0] < GIVEN_UP], fraction)


def seconds(seen, end, which=(BAD,)):
    """Return the share that the disks `which` had of their fair reads in each second, as text."""
    shares = seen.shares.by_second(which, 0, end)
    return f'of fair, by the second: {" ".join(f"{share:.2f}" for share in shares)}'


LATE = (('p99.9 of all reads, x healthy', Bound('<=', 1.5)), ('p99 of all reads, x healthy', None),
        ('reads that failed', Bound('<=', 0, always=True)))
CLAIMS = {   # name: (what one repeat does, its figures)
    'slow-disk': (slow_disk, (
        ('share of the disk +50 ms, of fair', Bound('<', 0.3)),
        ('least share of its siblings, of fair', Bound('>=', 0.9)))),
    'hung-disk': (hung_disk, (
        ('most reads stuck, after 1 s', Bound('<=', 3, always=True)),
        ('p99.9 of the others, x healthy', Bound('<=', 1.5)),
        ('reads that failed', Bound('<=', 0, always=True)))),
    'hung-node': (partial(late_node, {'hang': 'yes'}), LATE),
    'slowed-node': (partial(late_node, {'mean': 20 * disks.WIDE_MEAN}), LATE),
    'failing-disk': (failing_disk, (
        ('share after 5 s, of fair', Bound('<', 0.05)),
        ('reads that failed', Bound('<=', 0, always=True)))),
    'repaired-disk': (repaired_disk, (
        (f's until {BACK} of fair again', Bound('<=', LATEST)),
        ('part of all reads it got meanwhile', Bound('<=', 0.01)))),
    'cold-start': (cold_start, (
        ('most of a slow node in a second, of fair', Bound('<=', 1.2, always=True)),)),
    'ec': (fragments, (
        ('p99 with a disk 8 x slower, x healthy', Bound('<=', 1.2)),)),
}


def measured(name, lab, repeats, say):
    """Return the ClaimFigures of the claim `name` on Disks; each repeat has another seed."""
    once, figures = CLAIMS[name]
    values = [once(lab, seed, say) for seed in range(1, repeats + 1)]
    return [ClaimFigure(what, column, target) for (what, target), column in
            zip(figures, zip(*values, strict=True), strict=True)]
