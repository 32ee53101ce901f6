"""Runs of closed loops in several processes."""
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from swift_lb.sim.loop.outcome import outcome
from swift_lb.sim.loop.world import World
from swift_lb.sim.run import uncollected

TTL = 60.0      # seconds, for which the settings' times are meant


def run(setting, rules, seed):
    """Return the LoopOutcome of a Setting with `rules`, the name of a rule set or STATIC."""
    with uncollected():
        return outcome(World(setting, rules, seed).run())


def every(jobs, processes, work=run):
    """Return what `work` returns for each of `jobs`, tuples of its arguments, in their order."""
    if min(processes, len(jobs)) == 1:
        return [work(*job) for job in jobs]
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(processes, context, _begin) as pool:
        return [*pool.map(work, *zip(*jobs, strict=True))]


def _begin():
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # Ctrl-C is the parent's


def with_ttl(setting, ttl):
    """Return `setting` with another TTL in seconds, and all its times in proportion."""
    longer = ttl / TTL
    changes = tuple(replace(change, at=change.at * longer, until=change.until * longer)
                    for change in setting.changes)
    return replace(setting, ttl=ttl, changes=changes, seconds=setting.seconds * longer,
                   warm_up=setting.warm_up * longer)
