"""The promises on unlike nodes: all of their throughput, and a tail below that of a hand-made
profile.

Each node serves the same random times in the same order in all runs of a repeat, so that luck
favours no policy, nor MAX.
"""
from contextlib import contextmanager
from typing import NamedTuple

from bench import throughput
from bench.outcomes.outcome import Bound, ClaimFigure

from swift_lb.errors import EvaluationError
from swift_lb.evaluation.campaign import attempt, started
from swift_lb.evaluation.plan import ALONE, FULL, EvaluationStep, LabPlace, Plan
from swift_lb.evaluation.run_result import percentile
from swift_lb.evaluation.subject import LabSubject
from swift_lb.lab.lab import Lab

OURS, HANDMADE = 'adaptive', 'swift:affinity'
BESIDE = ('shuffle', 'lb_rlt')      # once, to be looked at
NODES, SIZE, OBJECTS, ONLY_READS = 3, '4KB', 100, 100
ALL = Bound('>=', 0.98)
SATURATED = 64
EVEN = Bound('>=', 0.99)
SHORT = 2, 5            # where only the throughput is looked at


class PaperSetting(NamedTuple):
    """The nodes, the number of clients in a closed loop, and the target of the p99.

    The queues of nodes that are chosen at random diverge as a random walk does, within clients**2 /
    MAX seconds: 1 s with 16 clients and 20 s with 64. Before that all queues are as even as they
    began, whatever the policy.
    """

    profile: str
    clients: int
    lengths: tuple          # ramp-up and what is measured, seconds
    proxy_workers: tuple
    tail: Bound            # p99, times that of HANDMADE


SETTINGS = {
    'paper-16': PaperSetting('paper', 16, (2, 10), (1, 2, 8), Bound('<=', 1.0)),
    'paper-64': PaperSetting('paper', 64, (15, 30), (1, 2, 8), Bound('<=', 0.7)),
    'slots-64': PaperSetting('slots', 64, (15, 30), (2,), Bound('<=', 0.76)),
    'slots-64-cold': PaperSetting('slots', 64, (0, 20), (2,), Bound('<=', 0.85)),
}


class Nodes(LabSubject):
    """The lab of an evaluation; its nodes restart their random times of service before each run."""

    def __init__(self, plan, name):
        super().__init__(plan, name, throughput.PORT)
        self.profile, self._called = plan.place.profile, name

    def ready(self, step):
        """Restart the proxies as `step` needs them, and the random streams of the nodes with the
        seed of its repeat.
        """
        lab = Lab.find(self._called)
        lab.handicap(clear=True)
        lab.handicap(profile=self.profile)
        for node in range(1, NODES + 1):
            lab.handicap(node=node, seed=step.repeat)
        super().ready(step)     # HANDMADE is told which of these nodes is the slowest


@contextmanager
def nodes(name):
    """Provide the Nodes of a lab with this name."""
    subject = Nodes(plan((OURS, HANDMADE), SATURATED, SHORT), name)
    with started(subject):
        yield subject


def plan(policies, number, lengths):
    """Return the Plan of runs with `number` clients; `lengths` are the seconds of ramp-up and of
    measurement.
    """
    ramp_up, seconds = lengths
    return Plan(LabPlace('paper', capacity=(None,) * NODES), policies, (number,), (SIZE,), (2,), 1,
                seconds, ramp_up, ONLY_READS, OBJECTS)


def clients(setting, subject, repeats, say):
    subject.profile = setting.profile
    runs, alone = {}, []
    for repeat in range(1, repeats + 1):
        if setting.clients >= SATURATED:
            alone.append(sum(
                read(subject, EvaluationStep(f'{ALONE}{node}', 2, SIZE, FULL, repeat),
                     setting).throughput for node in range(1, NODES + 1)))
        for place, proxy_workers in enumerate(setting.proxy_workers):
            for policy in turn((OURS, HANDMADE, *(BESIDE if repeat == 1 else ())), repeat + place):
                runs.setdefault((proxy_workers, policy), []).append(
                    read(subject, EvaluationStep(policy, proxy_workers, SIZE, setting.clients,
                                                 repeat), setting))
        say(f'repeat {repeat} done')
    most = [ClaimFigure('MAX: requests/s, each node alone', tuple(alone))] if alone else []
    return most + [outcome for proxy_workers in setting.proxy_workers
                   for outcome in _outcomes(runs, alone, setting, proxy_workers)]


def turn(policies, by):
    """Return `policies` rotated by `by`: over successive numbers each is first equally often."""
    by %= len(policies)
    return policies[by:] + policies[:by]


def read(subject, step, setting):
    """Return the OpFigures of the reads of one run, with the PaperSetting's ramp-up and seconds.

    Raises EvaluationError if a read failed.
    """
    run = attempt(subject, plan((step.policy,), step.workers, setting.lengths), step)
    if run.fault or run.ops['read'].failures:
        raise EvaluationError(f'{step.policy}: {run.fault or run.ops["read"].reasons}')
    return run.ops['read']


def _outcomes(runs, alone, setting, proxy_workers):
    """Yield the ClaimFigures of each policy for one number of proxy workers."""
    with_them = f', {proxy_workers} proxy worker{"s" * (proxy_workers > 1)}'
    tails = {policy: [percentile([one], 99) for one in runs[proxy_workers, policy]]
             for policy in (OURS, HANDMADE, *BESIDE)}
    for policy, own in tails.items():
        ours = policy == OURS
        if alone:
            yield ClaimFigure(f'{policy}: throughput, of MAX{with_them}', ratios(
                [one.throughput for one in runs[proxy_workers, policy]], alone),
                ALL if ours else None)
        if policy == HANDMADE:
            yield ClaimFigure(f'{policy}: p99, ms{with_them}', tuple(one * 1000 for one in own))
        else:
            yield ClaimFigure(f'{policy}: p99, x {HANDMADE}{with_them}',
                              ratios(own, tails[HANDMADE]), setting.tail if ours else None)


def ratios(some, others):
    """Return (each of `some` divided by that of `others` in the same repeat, ...), if both exist.
    """
    return tuple(one / other for one, other in zip(some, others, strict=False))


def even(subject, repeats, say):
    """Return [ClaimFigure: throughput on equal nodes, divided by plain Swift's, in each block]."""
    subject.profile = 'even'
    _ours, _plain, blocks = throughput.abba(
        subject, plan((OURS, throughput.PLAIN), SATURATED, SHORT), repeats)
    say(' '.join(f'{ratio:.3f}' for ratio in blocks))
    return [ClaimFigure("throughput, x plain Swift's", tuple(blocks), EVEN)]
