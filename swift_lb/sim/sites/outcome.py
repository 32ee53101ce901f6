"""The record of one run of simulated clusters, and the figures that are computed from it. Pure."""
import math
from collections import Counter
from dataclasses import dataclass

from swift_lb.model import FETCH, LOCAL, REDIRECT
from swift_lb.sim.loop.outcome import turns
from swift_lb.sim.measures import rank

WINDOW = 10.0       # seconds, over which a flow, a fraction of a cluster's reads, is counted
TURN = 0.05         # a flow that changes direction by less than this has not turned


class SiteRecord:
    """What happened in one run: each answer, and each read that was begun."""

    def __init__(self, setting):
        """Take the SiteSetting of the run."""
        self.setting = setting
        self.answers = []           # (instant of the end, seconds, kind of Route)
        self.begun = Counter()      # (number of the window, cluster that was asked) -> reads
        self.left = Counter()       # (number of the window, that cluster, another that serves)

    def record_begin(self, now, home, route):
        """Record that the cluster `home` has chosen `route` for a read at `now`."""
        window = int(now / WINDOW)
        self.begun[window, home] += 1
        if route.cluster != home:
            self.left[window, home, route.cluster] += 1

    def record_answer(self, now, seconds, kind):
        """Record that a read by a Route of `kind` ended at `now`, after `seconds`."""
        self.answers.append((now, seconds, kind))

    def flows(self):
        """Return {(cluster, another): [fraction of its reads that go there, by window]}."""
        windows = range(int(self.setting.warm_up / WINDOW), int(self.setting.seconds / WINDOW))
        return {(home, other): [self.left[window, home, other] / max(1, self.begun[window, home])
                                for window in windows]
                for home, other in {(home, other) for _window, home, other in self.left}}


@dataclass(frozen=True)
class SiteOutcome:
    """The figures of one run after its warm-up; times in seconds, the rest fractions of the reads.
    """

    mean: float
    p99: float
    goodput: float      # answers per second
    local: float
    fetched: float
    redirected: float
    turns: float        # a minute, of the flow between two clusters that turns most often


def site_outcome(record):
    """Return the figures of a run, a SiteOutcome, from its SiteRecord."""
    setting = record.setting
    seconds = setting.seconds - setting.warm_up
    kept = [answer for answer in record.answers if answer[0] >= setting.warm_up]
    times = sorted(took for _at, took, _kind in kept)
    kinds = Counter(kind for _at, _took, kind in kept)
    return SiteOutcome(
        math.fsum(times) / len(times), rank(times, 0.99), len(times) / seconds,
        *(kinds[kind] / len(kept) for kind in (LOCAL, FETCH, REDIRECT)),
        turns=max((turns(flow, TURN) for flow in record.flows().values() if flow), default=0)
        * 60 / seconds)
