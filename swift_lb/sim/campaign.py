"""Run the simulations of a comparison in several processes, and show their progress."""
import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from swift_lb.clock import monotonic
from swift_lb.errors import SimulationError
from swift_lb.experiment.progress import ProgressLine
from swift_lb.sim import shipped
from swift_lb.sim.run import run, shortened

OF_DEVICES = ('shares', 'worst_seconds')     # left out: a scenario may have a thousand devices
EVERY = 10.0    # seconds between two lines, when the output is not a terminal


def every(work, jobs, processes):
    """Return [work(*job) for job in jobs], computed in at most `processes` processes."""
    if min(processes, len(jobs)) == 1:
        return [work(*job) for job in jobs]
    results = [None] * len(jobs)
    in_processes(work, jobs, processes, results.__setitem__)
    return results


def in_processes(work, jobs, processes, keep):
    """Run work(*job) for all `jobs` in `processes` processes, and `keep` each result.

    As each job ends, keep(number of the job, its result) is called. An interruption, for
    example by Ctrl-C, ends the processes at once.
    """
    context = multiprocessing.get_context('spawn')    # a fork would inherit the display's thread
    pool = ProcessPoolExecutor(processes, context, _ignore_interrupts)
    try:
        futures = {pool.submit(work, *job): number for number, job in enumerate(jobs)}
        for future in as_completed(futures):
            keep(futures[future], future.result())
    except BrokenProcessPool:
        raise SimulationError('a process of the simulator was killed: not enough memory? '
                              '--processes 1 needs less') from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _ignore_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_IGN)    # the parent handles Ctrl-C


def result(step):
    """Run the ComparisonStep `step`; return Figures.document() without the figures per device."""
    scenario = shortened(shipped.load(step.scenario), step.factor)
    figures = run(scenario, step.policy, step.seed).document()
    return {name: value for name, value in figures.items() if name not in OF_DEVICES}


class ComparisonProgress(ProgressLine):
    """Shows how many runs of a comparison have ended, and the time that is left."""

    def __init__(self, console, runs, now=monotonic):
        """Take the rich Console and the number of `runs` of the comparison."""
        super().__init__(console, runs, EVERY, now)
        self._runs, self._done, self._began = runs, 0, now()

    def ended(self, step):
        """Count the run of the ComparisonStep `step` as ended, and show the progress."""
        self._done += 1
        each = (self._now() - self._began) / self._done
        self.show(f'{self._done}/{self._runs} {step.scenario}, {step.policy}, seed {step.seed}',
                  self._done, each * (self._runs - self._done))
