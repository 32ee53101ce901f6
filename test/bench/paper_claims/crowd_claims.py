"""Claims about the nodes that serve the reads: the paper's section 4.1, and herding."""
import random
from collections import Counter

from bench.paper_claims.duels import NO, PARTLY, UNKNOWN, YES, Claim

from swift_lb.drawing.numbers import share, spread
from swift_lb.drawing.text import listed
from swift_lb.evaluation import node_share
from swift_lb.evaluation.tables import REFERENCE

EVEN = 0.10      # greatest minus least share up to which shares are "almost equal"
CROWD = 1.25     # ratio to the busiest node's share at random from which there is herding


def equally(results, _slow):
    """Yield a Claim a policy: LB-R and LB-RL give all nodes equal fractions of the reads."""
    for label, source, text in (
            ('swift:shuffle', 'paper, 4.1', 'LB-R shares the reads out equally'),
            ('shuffle', 'paper, 4.1', 'LB-R shares the reads out equally'),
            ('last_throughput', 'paper, 4.1', 'LB-RL shares the reads out almost equally')):
        if label in results.plan.policies and (shares := _shares(results, label)):
            apart = {workers: max(result.values()) - min(result.values())
                     for workers, result in shares.items()}
            even = [workers for workers in apart if apart[workers] <= EVEN]
            yield Claim(source, f'{text} ({label}, {_size(results)})',
                        YES if len(even) == len(apart) else PARTLY if even else NO,
                        f'most-read less least-read node: at most {EVEN * 100:.0f} points at '
                        f'{listed(even) or "no"} workers; at worst '
                        f'{max(apart.values()) * 100:.0f} points')


def spared(results, slow):
    """Yield a Claim, if there are data: LB-RLT avoids slow nodes until the other nodes are busy."""
    part = {workers: span for workers, point in results.line(REFERENCE, _size(results)).items()
            if (span := point.share_of(slow))}
    if not part or not slow:
        return
    few, many = part[min(part)], part[max(part)]
    shy = few.most < len(slow) / results.plan.place.nodes / 2
    verdict = (UNKNOWN if len(part) < 2 else NO if not shy else
               YES if many.least > few.most else PARTLY)
    yield Claim('paper, 4.1', 'LB-RLT leaves the slow node alone at first, and uses it when the '
                              f'others are not enough ({_size(results)})', verdict,
                f'share of {listed(f"SN{node}" for node in slow)}, median (least..greatest '
                'repeat): ' + '; '.join(f'{spread(span, share)} at {workers}'
                                        for workers, span in part.items()) + ' workers')


def herding(results, _slow):
    """Yield a Claim a number of proxy workers: LB-RLT's busiest node gets > CROWD times chance."""
    plan = results.plan
    for label in (name for name in plan.policies if name.partition('@')[0] == REFERENCE):
        for number in sorted(plan.proxy_workers):
            own = _crowding(results, label, number)
            if own is None:
                continue
            against = next((result.median for name in ('shuffle', 'swift:shuffle')
                            if (result := _crowding(results, name, number))), None) or _by_chance(
                results, label, number)
            yield Claim('swift-lb', f'LB-RLT herds: {label}, {number} worker process'
                                    f'{"es" if number > 1 else ""} a proxy',
                        YES if own.median > CROWD * against else NO,
                        f'{spread(own, share)} of the reads of a second are served by its '
                        f'most-read node, {share(against)} by chance '
                        f'({plan.herding_workers} workers)')


def _crowding(results, label, proxy_workers):
    point = _herding_point(results, label, proxy_workers)
    return point.crowding() if point else None


def _by_chance(results, label, proxy_workers):
    """Return the share of a second's reads that the busiest node has, if nodes are random."""
    runs = _herding_point(results, label, proxy_workers).runs
    return node_share.crowding(_at_random(
        [second for run in runs for second in node_share.inside(run.reads, run.window)],
        range(1, results.plan.place.nodes + 1), random.Random(0)))


def _at_random(reads, nodes, rng, times=20):
    """Return [(second, {node: number of reads})] as `reads`, with each read at a random node.

    All seconds are drawn `times` times, one after another.
    """
    nodes = list(nodes)
    return [(second, Counter(rng.choices(nodes, k=sum(counts.values()))))
            for _ in range(times) for second, counts in reads]


def _herding_point(results, label, proxy_workers):
    plan = results.plan
    return results.point(label, plan.sizes[0], plan.herding_workers, proxy_workers)


def _size(results):
    """Return the last object size of the plan: the paper's figure 2 shows its larger objects."""
    return results.plan.sizes[-1]


def _shares(results, label):
    """Return {workers: {node: fraction of the reads}} of the policy called `label`."""
    return {workers: shares for workers, point in results.line(label, _size(results)).items()
            if (shares := point.shares())}


CLAIMS = (equally, spared, herding)
